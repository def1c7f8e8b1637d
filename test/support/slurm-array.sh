# slurm-array.sh TASKS SCRIPT [ARGUMENT..]: the tasks of an array one after the other, with the variables that Slurm gives them. Their logs
# are task-N.log in the folder that the first argument names.
tasks=$1 script=$2
shift 2
export SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX="$tasks" SLURM_ARRAY_TASK_STEP=1 SLURM_ARRAY_TASK_COUNT="$tasks"
for task in $(seq "$tasks"); do
  SLURM_ARRAY_TASK_ID=$task bash "$script" "$@" > "$1/task-$task.log" 2>&1 || echo "task $task failed"
done

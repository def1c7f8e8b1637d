#!/usr/bin/env bash
# Starts a Slurm of one node in a folder, for tests: munged, slurmctld and slurmd of Debian, as root and without systemd. Nothing outside of
# the folder is written, and the daemons listen on 127.0.0.1 alone.
# Usage: bash scripts/engines/slurm.sh start|stop FOLDER     then SLURM_CONF=FOLDER/slurm.conf sbatch ..
set -euo pipefail
folder=$(realpath -m "$2")
host=$(hostname -s)
export SLURM_CONF=$folder/slurm.conf

# Two ports that nobody listens on now.
free_ports() {
  node -e "
    const net = require('node:net'), open = [1, 2].map(() => net.createServer().listen(0, '127.0.0.1'))
    let ready = 0
    for (const one of open) one.on('listening', () => {
      if (++ready === 2) { console.log(...open.map(each => each.address().port)); for (const each of open) each.close() }
    })"
}

start() {
  local ports
  read -r -a ports < <(free_ports)
  umask 022
  mkdir -p "$folder/state" "$folder/spool" "$folder/log"
  # A key of its own, so that these daemons share no secret with a Slurm that is there already.
  (umask 077 && head -c 1024 /dev/urandom > "$folder/munge.key")
  cat > "$SLURM_CONF" <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CryptoType=crypto/munge
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmctldPort=${ports[0]}
SlurmdPort=${ports[1]}
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/log/slurmctld
SlurmdLogFile=$folder/log/slurmd
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
MaxArraySize=10001
SchedulerParameters=sched_min_interval=100000,batch_sched_delay=0
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
  # --force: munged would refuse a folder below /tmp, which others may write into.
  munged --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" --pid-file="$folder/munged.pid" \
    --seed-file="$folder/munge.seed" --log-file="$folder/log/munged" 2> "$folder/log/munged.start"
  slurmctld
  slurmd
  for _ in $(seq 100); do
    if [ "$(sinfo --noheader --format=%T 2> /dev/null)" = idle ]; then return; fi
    sleep 0.1
  done
  echo "slurm.sh: the node did not become idle; its logs are in $folder/log" >&2
  tail -n 5 "$folder"/log/* >&2
  stop
  exit 1
}

# Ends the daemons of this folder by their process ids, and waits until they are gone.
stop() {
  local name id
  for name in slurmd slurmctld munged; do
    [ -s "$folder/$name.pid" ] || continue
    id=$(cat "$folder/$name.pid")
    kill "$id" 2> /dev/null || continue
    for _ in $(seq 50); do
      kill -0 "$id" 2> /dev/null || continue 2
      sleep 0.1
    done
    kill -KILL "$id" 2> /dev/null || true
  done
}

case "$1" in
  start) start ;;
  stop) stop ;;
  *) echo 'usage: bash scripts/engines/slurm.sh start|stop FOLDER' >&2; exit 2 ;;
esac

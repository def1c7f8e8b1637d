#!/usr/bin/env bash
# Installs what `npm run night` holds the recipes of docs/fleet.md against: schedulers and checkers of files from npm into .engines/ (110 MB),
# and, as root, those of Debian. None of them is a dependency of this project.
# Usage: bash scripts/engines/install.sh
set -euo pipefail
cd "$(dirname "$0")/../.."

# Slurm is in .ci/run, too. gitlab-ci-local copies files with rsync.
debian=(slurmctld slurmd slurm-client munge parallel openssh-server rsync sqlite3 bubblewrap)
if ! { command -v sbatch && command -v slurmctld && command -v munged && command -v parallel && command -v sshd && command -v rsync; } > /dev/null \
  && [ "$(id -u)" = 0 ]; then
  apt-get update -qq && apt-get install -y -qq --no-install-recommends "${debian[@]}" > /dev/null
fi

mkdir -p .engines
npm install --no-save --no-audit --no-fund --no-package-lock --ignore-scripts --prefix .engines \
  gitlab-ci-local@4.65.1 \
  kubernetes-models@5.1.0 \
  @action-validator/cli@0.6.0 @action-validator/core@0.6.0 \
  @duckdb/node-api@1.5.6-r.1

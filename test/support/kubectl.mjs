// As much of kubectl and of a cluster as fixtures/pipelines/kubernetes/nightly.sh needs: `apply` runs a Job to its end, each pod by bwrap with what
// its template says, and with the exit codes of podFailurePolicy, backoffLimit and backoffLimitPerIndex. What it does not know is refused, so that
// nothing is passed over. KUBECTL_WORLD names a JSON file: the folders of the volumes and what a pod sees as its image.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { parseAllDocuments } from 'yaml'

const place = process.env['KUBECTL_WORLD']
const world = JSON.parse(readFileSync(place, 'utf8'))
const [verb, ...args] = process.argv.slice(2)
const after = flag => args[args.indexOf(flag) + 1]

/** Fails for a member that is not one of these. */
function only(members, ...known) {
  for (const name of Object.keys(members ?? {}))
    assert.ok(known.includes(name), `this cluster does not know ${name}`)
  return members ?? {}
}

/** Whether a policy that was applied forbids this pod every connection. */
function isCutOff(labels) {
  return Object.values(world.policies).some(({ podSelector, policyTypes, ...rules }) => {
    only(rules)
    const wanted = Object.entries(only(podSelector, 'matchLabels').matchLabels ?? {})
    const isAll = ['Ingress', 'Egress'].every(type => policyTypes.includes(type))
    return isAll && wanted.every(([name, value]) => labels[name] === value)
  })
}

/** The folders above these paths, outer ones first: bwrap makes folders by itself that only root may enter. */
function foldersAround(paths) {
  const all = paths.flatMap(path =>
    path
      .split('/')
      .slice(1, -1)
      .map((_, at, parts) => `/${parts.slice(0, at + 1).join('/')}`),
  )
  return [...new Set(all)].sort()
}

/** Runs a pod as the kubelet does. The root is read-only and empty but for the image and the mounts. */
function runPod({ metadata, spec }, uid, index) {
  only(spec, 'restartPolicy', 'automountServiceAccountToken', 'securityContext', 'containers', 'volumes')
  assert.equal(spec.restartPolicy, 'Never')
  const [container, ...more] = spec.containers
  assert.deepEqual(more, [])
  only(container, 'name', 'image', 'command', 'args', 'env', 'resources', 'securityContext', 'volumeMounts')
  assert.deepEqual(container.securityContext, {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  })
  const { runAsUser, runAsGroup } = spec.securityContext
  const mounts = container.volumeMounts.flatMap(({ name, mountPath, subPath, readOnly }) => {
    const volume = spec.volumes.find(one => one.name === name)
    const from = [world.volumes[volume?.persistentVolumeClaim?.claimName ?? volume?.configMap?.name]]
    assert.ok(from[0], `there is no volume ${name}`)
    if (subPath !== undefined) from.push(subPath)
    return [readOnly ? '--ro-bind' : '--bind', from.join('/'), mountPath]
  })
  const env = Object.fromEntries(
    (container.env ?? []).map(({ name, value, valueFrom }) => {
      const field = valueFrom?.fieldRef.fieldPath
      assert.ok(
        field === undefined || field === "metadata.labels['batch.kubernetes.io/controller-uid']",
        field,
      )
      return [name, field === undefined ? value : uid]
    }),
  )
  if (index !== undefined) env['JOB_COMPLETION_INDEX'] = String(index)
  const user = [`--reuid=${runAsUser}`, `--regid=${runAsGroup}`, '--clear-groups']
  const places = [...world.image, ...container.volumeMounts.map(({ mountPath }) => mountPath)]
  const bwrap = [
    ...foldersAround(places).flatMap(path => ['--dir', path]),
    ...world.image.flatMap(path => ['--ro-bind', path, path]),
    ...world.links.flatMap(([to, path]) => ['--symlink', to, path]),
    ...mounts,
    ...['--proc', '/proc', '--dev', '/dev', '--remount-ro', '/', '--chdir', '/'],
    ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--die-with-parent', '--clearenv'],
    ...(isCutOff(metadata.labels) ? ['--unshare-net'] : []),
    ...['--setenv', 'PATH', world.path],
    ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]),
    ...['--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID', '--cap-add', 'CAP_SETPCAP'],
    ...['setpriv', ...user, '--bounding-set=-all', '--inh-caps=-all', '--no-new-privs'],
    ...[...container.command, ...container.args],
  ]
  const ran = spawnSync('bwrap', bwrap, { encoding: 'utf8' })
  return { code: ran.status ?? 137, logs: `${ran.stdout}${ran.stderr}`, container: container.name }
}

/** Runs a pod, and again after each failure that the Job allows. */
function runIndex({ spec }, uid, index) {
  const most = index === undefined ? spec.backoffLimit : spec.backoffLimitPerIndex
  const rules = spec.podFailurePolicy?.rules ?? []
  for (let failures = 0; ; ) {
    const pod = runPod(spec.template, uid, index)
    world.pods.push({ index, ...pod })
    if (pod.code === 0) return pod
    // Of the rules the first one that fits counts. No node is lost here.
    const rule = rules.find(({ onExitCodes }) => {
      if (onExitCodes === undefined || onExitCodes.containerName !== pod.container) return false
      assert.equal(onExitCodes.operator, 'In')
      return onExitCodes.values.includes(pod.code)
    })
    assert.ok(rule === undefined || rule.action === 'FailIndex')
    if (rule !== undefined || ++failures > most) return pod
  }
}

function runJob(job) {
  const { spec, metadata } = job
  only(
    spec,
    ...[
      'completionMode',
      'completions',
      'parallelism',
      'backoffLimit',
      'backoffLimitPerIndex',
      'maxFailedIndexes',
    ],
    ...['activeDeadlineSeconds', 'podFailurePolicy', 'template'],
  )
  const uid = randomUUID()
  const indexes = spec.completionMode === 'Indexed' ? [...Array(spec.completions).keys()] : [undefined]
  let failed = 0
  let last
  for (const index of indexes) {
    last = runIndex(job, uid, index)
    if (last.code !== 0 && ++failed > (spec.maxFailedIndexes ?? indexes.length)) break
  }
  world.jobs[metadata.name] = {
    condition: failed === 0 ? 'Complete' : 'Failed',
    code: last.code,
    logs: last.logs,
  }
}

function apply() {
  const [label, value] = after('-l').split('=')
  const documents = parseAllDocuments(readFileSync(after('-f'), 'utf8')).map(one => one.toJS())
  const chosen = documents.filter(({ metadata }) => metadata.labels[label] === value)
  assert.ok(chosen.length > 0, `no ${label}=${value}`)
  for (const one of chosen) {
    if (one.kind === 'Job') runJob(one)
    else if (one.kind === 'NetworkPolicy') world.policies[one.metadata.name] = one.spec
    else assert.fail(`this cluster does not know ${one.kind}`)
  }
}

const line = [verb, ...args].join(' ')
const job = name => world.jobs[name] ?? assert.fail(`there is no job ${name}`)
if (verb === 'apply') apply()
else if (verb === 'delete') Object.assign(world, { jobs: {}, policies: {} })
else if (verb === 'wait') process.exitCode = job(line.split('job/')[1]).condition === 'Complete' ? 0 : 1
else if (verb === 'logs') process.stdout.write(job(line.split('job/')[1]).logs)
else if (line.startsWith('get job ')) process.stdout.write(job(args[1]).condition)
else if (line.startsWith('get pods -l job-name='))
  process.stdout.write(String(job(args[2].split('=')[1]).code))
else assert.fail(`this kubectl does not know ${line}`)
writeFileSync(place, JSON.stringify(world))

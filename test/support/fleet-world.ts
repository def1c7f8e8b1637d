// Bundles in a folder, a home with a trust policy, and an `rlp` on the PATH of its own processes: for recipes that verify many bundles in parts.
import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { builtProgram } from './built.ts'
import { made, policyText, RELEASE, STRANGER } from './install-world.ts'

export interface FleetWorld {
  readonly cwd: string
  readonly bundles: string
  /** What RUNLOOP_HOME names. */
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Runs a program in the folder, without blocking this process. */
  run(program: string, args: readonly string[], env?: Readonly<Record<string, string>>): Promise<FleetRan>
}

export interface FleetRan {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** The name of the bundle with this number, which differs between all of them. */
export function bundleName(number: number): string {
  return `ag_${String(number).padStart(4, '0')}`
}

/**
 * @param count the number of bundles; the policy accepts all but the last
 * @param before lines of shell that `rlp` runs first, as a machine that fails does
 */
export function fleetWorld(cwd: string, count: number, before = ''): FleetWorld {
  const [bundles, home, bin] = ['bundles', 'home', 'bin'].map(name => join(cwd, name)) as [
    string,
    string,
    string,
  ]
  for (const path of [bundles, home, bin]) mkdirSync(path, { recursive: true, mode: 0o755 })
  for (let number = 1; number <= count; number++) {
    const name = bundleName(number)
    const bytes = made({ name, version: '0.1.0' }, number === count ? STRANGER : RELEASE)
    writeFileSync(join(bundles, `${name}-0.1.0.agent.bundle`), bytes)
  }
  const policy = join(home, 'trust-policy.toml')
  writeFileSync(policy, policyText())
  chmodSync(policy, 0o644)
  const program = `#!/bin/sh\n${before}\nexec '${process.execPath}' '${builtProgram()}' "$@"\n`
  writeFileSync(join(bin, 'rlp'), program, { mode: 0o755 })
  const path = [bin, dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin'].join(':')
  const env = { PATH: path, HOME: cwd, RUNLOOP_HOME: home, LC_ALL: 'C.UTF-8', TMPDIR: cwd }
  return {
    cwd,
    bundles,
    home,
    env,
    run: (program, args, more = {}) =>
      new Promise((resolve, reject) => {
        const child = spawn(program, args, {
          cwd,
          env: { ...env, ...more },
          stdio: ['ignore', 'pipe', 'pipe'],
        })
        const said = { stdout: '', stderr: '' }
        for (const name of ['stdout', 'stderr'] as const)
          child[name].setEncoding('utf8').on('data', text => {
            said[name] += text
          })
        child.on('error', reject)
        child.on('close', status => resolve({ status, ...said }))
      }),
  }
}

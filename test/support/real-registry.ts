// Debian's registry as a process of its own, in a folder and on a port of this machine.
import { spawn, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

export interface RealRegistry {
  /** `localhost:PORT` */
  readonly host: string
  stop(): void
}

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise(resolve => server.close(resolve))
  return port
}

/** @param more lines of its configuration, below http and at the top */
export async function realRegistry(place: string, http = '', more = ''): Promise<RealRegistry> {
  const port = await freePort()
  const config = join(place, 'registry.yml')
  writeFileSync(
    config,
    `version: 0.1\nlog: {level: error}\nstorage: {filesystem: {rootdirectory: ${place}/data}}\nhttp: {addr: "127.0.0.1:${port}", secret: abc${http}}\n${more}`,
  )
  const child = spawn('docker-registry', ['serve', config], { stdio: 'ignore' })
  const stop = () => void child.kill('SIGKILL')
  const scheme = http === '' ? 'http' : 'https'
  for (let tries = 0; tries < 100; tries++) {
    const asked = spawnSync('curl', ['-ksS', '-o', '/dev/null', `${scheme}://localhost:${port}/v2/`])
    if (asked.status === 0) return { host: `localhost:${port}`, stop }
    await wait(50)
  }
  stop()
  throw new Error(`no registry at ${port}`)
}

/** The configuration of a registry that wants `ci` and `s3cret`. */
export function passwordIn(place: string): string {
  const file = join(place, 'htpasswd')
  // bcrypt, which Node has not: made with `htpasswd -Bbn ci s3cret`.
  writeFileSync(file, 'ci:$2y$05$cMhJtSYXVn0wGWV9V7dh6.EHmMZz.aiX5DfxIOzgJu2BXfMDMV7JG\n')
  return `auth: {htpasswd: {realm: r, path: ${file}}}\n`
}

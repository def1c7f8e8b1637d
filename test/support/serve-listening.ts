// `rlp tool serve --http` of one bundle, in this process, until it is stopped.
import assert from 'node:assert/strict'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from './fake-terminal.ts'
import { PATH } from './host.ts'
import { made, RELEASE, type World, world } from './install-world.ts'
import { leaveUnheld } from './unheld.ts'

export const TOKEN = 'a-token-of-thirty-two-characters'
export const BUNDLE = 'mini-0.1.0.agent.bundle'

/** A folder with a trusted bundle of these tools, and the token. */
export function serveWorld(cwd: string, tools: readonly object[]): World {
  const here = world(cwd)
  leaveUnheld(here.home)
  writeFileSync(join(cwd, 'token'), `${TOKEN}\n`)
  chmodSync(join(cwd, 'token'), 0o600)
  const caps = 'exec = ["/bin/cat", "/bin/echo", "/bin/sleep"]\n'
  const files = { 'tools.json': JSON.stringify({ version: 1, tools }) }
  here.put(BUNDLE, made({ name: 'mini', version: '0.1.0', caps, files }, RELEASE))
  return here
}

/** @param over ends it however the test does */
export async function listening(here: World, over: AbortSignal, ...args: string[]) {
  const stop = new AbortController()
  let stderr = ''
  let tell = (_: string) => {}
  const url = new Promise<string>(resolve => {
    tell = resolve
  })
  process.env['RUNLOOP_HOME'] = here.home
  const serve = ['tool', 'serve', BUNDLE, '--http', '127.0.0.1:0', '--token-file', 'token']
  const running = run([...serve, ...args], undefined, {
    cwd: here.cwd,
    env: { RUNLOOP_HOME: here.home, PATH },
    signal: AbortSignal.any([stop.signal, over]),
    stderr: text => {
      stderr += text
      const [, at] = /at (http:\S+) \(MCP\)/.exec(stderr) ?? []
      if (at !== undefined) tell(at)
    },
  })
  const ended = running.then(({ exit }) => assert.fail(`it ended with ${exit}: ${stderr}`))
  const place = { url: await Promise.race([url, ended]), token: TOKEN }
  ended.catch(() => {})
  return {
    place,
    said: () => stderr,
    async stop() {
      stop.abort()
      assert.equal((await running).exit, 130)
    },
  }
}

// Every start and every probe made to fail once: no call runs with less than was decided.
import assert from 'node:assert/strict'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { NO_CONFIG } from '../../src/io/config.ts'
import { SYSTEM_TOOLS } from '../../src/io/owner/programs.ts'
import type { Config } from '../../src/model/config.ts'
import { RlpError } from '../../src/model/error.ts'
import type { SandboxMode } from '../../src/model/sandbox.ts'
import { openSandbox } from '../../src/sandbox/sandbox.ts'
import { callHeld } from '../support/held-call.ts'
import { IS_ROOT, NOBODY } from '../support/run.ts'
import { grantable } from '../support/sandbox-folder.ts'
import { NO_SANDBOX_HERE } from '../support/sandbox-works.ts'

const folder = grantable('faults')
const NOTHING: Config = {
  ...NO_CONFIG,
}

/** The programs of the system under names of a folder of the test, some of them otherwise. */
function toolsWith(name: string, changed: Readonly<Record<string, string | undefined>>): string {
  const at = folder(name)
  for (const tool of SYSTEM_TOOLS) {
    const path = join(at, tool)
    if (!(tool in changed)) symlinkSync(`/usr/bin/${tool}`, path)
    else if (changed[tool] !== undefined) writeFileSync(path, changed[tool], { mode: 0o755 })
  }
  return at
}

function open(mode: SandboxMode, folders: readonly string[], config: Config = NOTHING) {
  const host = { env: process.env, signal: AbortSignal.timeout(60_000), cwd: '/', told: [], folders }
  return openSandbox(mode, host, config)
}

/** What is started inside has to be there inside. */
const outer = (at: string) => {
  for (const inner of ['prlimit', 'sh', 'stat']) rmSync(join(at, inner), { force: true })
  return [at, '/usr/bin', '/bin']
}

const asks = (sandbox: SandboxMode): Config => ({
  ...NOTHING,
  sandbox: { value: sandbox, from: 'a config.toml' },
})

/** Only root's programs are used, so only root can put others in their place. */
const skip = NO_SANDBOX_HERE || (!IS_ROOT && 'only root makes programs of root')

describe('a sandbox that does not work', { skip }, () => {
  const SAYS = (text: string, exit: number) => `#!/bin/sh\n${text}\nexit ${exit}\n`
  const faults: Readonly<Record<string, readonly [() => string, problem: RegExp, hint: RegExp]>> = {
    'bwrap is not there': [
      () => toolsWith('none', { bwrap: undefined }),
      /bwrap is not installed/,
      /bubblewrap/,
    ],
    'prlimit is not there': [
      () => toolsWith('prlimit', { prlimit: undefined }),
      /prlimit is not/,
      /util-linux/,
    ],
    'setpriv is not there': [
      () => toolsWith('setpriv', { setpriv: undefined }),
      /setpriv is not/,
      /util-linux/,
    ],
    'sh is not there': [() => toolsWith('sh', { sh: undefined }), /sh is not installed/, /shell/],
    'stat is not there': [() => toolsWith('stat', { stat: undefined }), /stat is not installed/, /coreutils/],
    'bwrap is another user’s': [
      () => {
        const at = toolsWith('foreign', { bwrap: SAYS('', 0) })
        chownSync(join(at, 'bwrap'), NOBODY, NOBODY)
        return at
      },
      /does not belong to root/,
      /anew/,
    ],
    'others may write bwrap': [
      () => {
        const at = toolsWith('loose', { bwrap: SAYS('', 0) })
        chmodSync(join(at, 'bwrap'), 0o777)
        return at
      },
      /may be written by others/,
      /anew/,
    ],
    'bwrap is setuid': [
      () => {
        const at = toolsWith('setuid', { bwrap: undefined })
        copyFileSync('/usr/bin/bwrap', join(at, 'bwrap'))
        chmodSync(join(at, 'bwrap'), 0o4755)
        return at
      },
      /setuid/,
      /chmod u-s/,
    ],
    'bwrap does nothing': [() => toolsWith('silent', { bwrap: SAYS('', 0) }), /ended before/, /sandbox\.md/],
    'namespaces are forbidden': [
      () =>
        toolsWith('forbidden', {
          bwrap: SAYS('echo "bwrap: setting up uid map: Permission denied" >&2', 1),
        }),
      /setting up uid map: Permission denied/,
      /namespaces|AppArmor/,
    ],
    'bwrap is too old': [
      () => toolsWith('old', { bwrap: SAYS('echo "bwrap: Unknown option --disable-userns" >&2', 1) }),
      /Unknown option/,
      /0\.8\.0/,
    ],
    'bwrap holds nothing': [
      // It says that it is ready and runs the program as it is.
      () =>
        toolsWith('open', { bwrap: '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done; shift\nexec "$@"\n' }),
      /could do more than it may/,
      /doctor/,
    ],
  }
  for (const [what, [make, problem, hint]] of Object.entries(faults))
    test(what, async () => {
      const at = [make()]
      const error = await open('require', at).catch(error => error)
      assert.ok(error instanceof RlpError, 'it was opened')
      assert.equal(error.code, 'UNENFORCED')
      assert.match(error.message, problem)
      assert.match(error.hint ?? '', hint)
      const named = await open('off', at, asks('require')).catch(error => error)
      assert.match(named.message, /a config\.toml requires a sandbox/)
      const auto = await open('auto', at)
      assert.deepEqual([auto.name, problem.test(auto.note ?? '')], ['none', true])
      // What does not hold is not asked for where nothing is to be held.
      assert.equal((await open('off', at)).note, undefined)
    })

  test('the control: with the programs of the system it works', async () => {
    assert.equal((await open('require', outer(toolsWith('control', {})))).name, 'bubblewrap')
  })
})

describe('a start that fails after a good probe', { skip }, () => {
  async function after(name: string, spoil: (at: string) => void, mode: SandboxMode) {
    const at = toolsWith(name, {})
    const writable = join(folder(`${name}-w`), 'w')
    mkdirSync(writable)
    chmodSync(writable, 0o1777)
    const sandbox = await open(mode, outer(at))
    const mark = join(writable, 'ran')
    const program = { command: '/usr/bin/touch', args: [mark] }
    assert.equal((await callHeld(program, { writes: [writable], sandbox })).envelope.ok, true)
    assert.ok(existsSync(mark), 'the control')
    const { envelope, enforced } = await callHeld(
      { command: '/usr/bin/touch', args: [`${mark}-again`] },
      (spoil(at), { writes: [writable], sandbox }),
    )
    assert.equal(existsSync(`${mark}-again`), false)
    assert.equal(enforced, undefined)
    return envelope.ok ? 'answered' : envelope['reason']
  }
  const replaced = (tool: string, text: string) => (at: string) => {
    rmSync(join(at, tool))
    writeFileSync(join(at, tool), text, { mode: 0o755 })
  }
  for (const mode of ['auto', 'require'] as const) {
    for (const [what, tool, text] of [
      ['bwrap fails', 'bwrap', '#!/bin/sh\necho no >&2\nexit 1\n'],
      ['bwrap is killed', 'bwrap', '#!/bin/sh\nkill -9 $$\n'],
      ['bwrap ends at once', 'bwrap', '#!/bin/sh\nexit 0\n'],
      ['setpriv fails', 'setpriv', '#!/bin/sh\nexit 127\n'],
    ] as const)
      test(`${mode}: ${what}`, async () => {
        assert.equal(
          await after(`${tool}-${mode}-${what.replaceAll(' ', '-')}`, replaced(tool, text), mode),
          'sandbox_failed',
        )
      })
    test(`${mode}: the first program is gone`, async () => {
      assert.equal(await after(`gone-${mode}`, at => rmSync(join(at, 'setpriv')), mode), 'sandbox_failed')
    })
  }
})

// The main job, visible: from an empty folder to a trusted bundle, with the built command. Key and trust policy are for the demo only.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const rlp = resolve('dist/program/rlp.cjs')
const folder = mkdtempSync(join(tmpdir(), 'rlp-demo-'))

const BUNDLE = 'dist/mailer-0.1.0.agent.bundle'

const steps: readonly (readonly [what: string, args: readonly string[]])[] = [
  ['a new agent', ['agent', 'scaffold', 'mailer', '--non-interactive', '--description', 'Sends mail drafts']],
  [
    'a tool for it, and the grants it needs',
    [
      'tool',
      'add',
      'mailer',
      '--id',
      'mail.send',
      '--description',
      'Send one rendered draft',
      '--kind',
      'http',
      '--method',
      'POST',
      '--url',
      'https://api.mail.example/send',
      '--input-schema',
      '{"type":"object","properties":{"draft":{"type":"string","description":"id of the draft"}},"required":["draft"],"additionalProperties":false}',
      '--result-schema',
      '{"type":"object","properties":{"sent":{"type":"boolean","description":"whether it went out"}},"required":["sent"],"additionalProperties":false}',
      '--requires-confirmation',
      '--grant',
    ],
  ],
  ['digests of what changed', ['agent', 'digest', 'mailer']],
  ['what is still to do', ['agent', 'lint', 'mailer']],
  ['the bundle', ['agent', 'pack', 'mailer']],
  ['a signing key', ['key', 'generate', 'release', '--no-passphrase']],
  ['the signature', ['agent', 'sign', BUNDLE, '--key', 'release']],
  ['whose signature counts, and for what', ['trust', 'add', 'release', 'release', '--for', BUNDLE, '--yes']],
  ['which line of that policy decides', ['trust', 'explain', BUNDLE]],
  ['the verdict', ['agent', 'verify', BUNDLE]],
]

try {
  for (const [what, args] of steps) {
    const line = args.map(arg => (/^[\w@./:=^-]+$/.test(arg) ? arg : `'${arg}'`)).join(' ')
    process.stdout.write(`\n# ${what}\n$ rlp ${line}\n`)
    const { status } = spawnSync(process.execPath, [rlp, ...args], {
      cwd: folder,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, RUNLOOP_HOME: join(folder, 'home') },
    })
    if (status !== 0) {
      process.stderr.write(`exit ${status}\n`)
      process.exitCode = 1
      break
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}

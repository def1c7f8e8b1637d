// The main job, command by command: from an empty folder to a bundle that a trust policy trusts.

export const BUNDLE = 'dist/mailer-0.1.0.agent.bundle'

export const STEPS: readonly (readonly [what: string, args: readonly string[]])[] = [
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
  ['into a folder that travels as a registry does', ['agent', 'push', BUNDLE, 'oci-layout:store']],
  [
    'and out of it, verified again',
    ['agent', 'pull', 'oci-layout:store:0.1.0', '--expect', 'mailer', '--out-dir', 'got'],
  ],
]

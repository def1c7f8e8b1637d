// The commands that change something, each with the world it is run in, and what may be seen of it when it was stopped.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { agentTree, bundleOf, writeTree } from '../../../test/support/agent.ts'
import { madeTree } from '../../../test/support/install-world.ts'
import { installKeys, KEYS, POLICY, signed } from '../../../test/support/trust-world.ts'

/** A folder with `work`, where commands are run, and `home`, the user's. */
export interface Place {
  readonly work: string
  readonly home: string
  /** Runs a command there, undisturbed. Throws when it fails. */
  rlp(...args: string[]): Promise<void>
}

export interface Scenario {
  readonly name: string
  prepare(place: Place): Promise<void> | void
  readonly args: readonly string[]
  /** Files that may be gone for the moment, as the folder that is derived from an installed bundle. */
  readonly mayBeGone?: RegExp
  /** Files that hold something else for the moment, as the state that says what is about to happen. */
  readonly mayDiffer?: RegExp
  /** Must succeed whatever happened, as long as the file is there. */
  readonly holds?: { readonly file: string; readonly args: readonly string[] }
  /** Run afterwards, in this order, with the exit codes that are right; the same command once more where absent. */
  readonly again?: readonly { readonly args: readonly string[]; readonly exits: readonly number[] }[]
  /** What is there in the end is compared by name only: what the next command does is something else. */
  readonly endsOtherwise?: true
  /** What is made by chance: only that it is whole counts. */
  readonly byChance?: RegExp
}

const MINI = agentTree({ files: { 'README.md': '# mini\n', 'docs/a.md': 'a' } })
const STALE = { ...MINI, 'README.md': '# changed\n' }
const caps = (version: string, file: string) =>
  bundleOf(
    signed(madeTree({ version, caps: 'kb_read = ["drafts"]\n', files: { [file]: version } }), 'release'),
  )
const OLD = caps('1.0.0', 'old.md')
const NEW = caps('1.1.0', 'new.md')
const ANY = '{ allow_caps = "any", allow_net = "any", allow_exec = true }'
const TRUSTING = `[anchors]\nrelease = "${KEYS.release.anchor}"\nsecurity = "${KEYS.security.anchor}"\n\n[rules]\nrelease = ${ANY}\nsecurity = ${ANY}\n`

const put = (folder: string, name: string, bytes: Uint8Array | string) => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, name), bytes)
}
const policy = ({ home }: Place, text = TRUSTING) => put(home, 'trust-policy.toml', text)
const installed = async (place: Place, bytes: Uint8Array) => {
  policy(place)
  put(place.work, 'old.bundle', bytes)
  await place.rlp('agent', 'install', 'old.bundle', '--yes')
}
const INSTALL = ['agent', 'install', 'new.bundle', '--yes'] as const
const STORED = 'oci-layout:store:1.1.0'
const INSTALL_STORED = ['agent', 'install', STORED, '--expect', 'mini', '--yes'] as const
const fetching = async (place: Place) => {
  policy(place)
  put(place.work, 'new.bundle', NEW)
  await place.rlp('agent', 'push', 'new.bundle', 'oci-layout:store')
}
const INSTALLING = {
  mayBeGone: /^home\/agents\/mini\//,
  mayDiffer: /^home\/state\/mini\.json$/,
  holds: { file: 'home/agents/mini.agent.bundle', args: ['agent', 'verify', 'mini'] },
} as const

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'digest',
    prepare: ({ work }) => void writeTree(join(work, 'mini'), STALE),
    args: ['agent', 'digest', 'mini'],
  },
  {
    name: 'pack',
    prepare({ work }) {
      writeTree(join(work, 'mini'), MINI)
      put(join(work, 'dist'), 'mini-1.0.0.agent.bundle', bundleOf(agentTree()))
    },
    args: ['agent', 'pack', 'mini'],
  },
  {
    name: 'pack to a new folder',
    prepare: ({ work }) => void writeTree(join(work, 'mini'), MINI),
    args: ['agent', 'pack', 'mini', '--gzip', '--out-dir', 'a/b'],
  },
  {
    name: 'sign',
    prepare({ work, home }) {
      put(work, 'b.bundle', bundleOf(MINI))
      installKeys(home)
    },
    args: ['agent', 'sign', 'b.bundle', '--key', 'release'],
  },
  {
    name: 'sign as the second',
    prepare({ work, home }) {
      put(work, 'b.bundle', bundleOf(signed(MINI, 'security')))
      installKeys(home)
    },
    args: ['agent', 'sign', 'b.bundle', '--key', 'release'],
  },
  {
    name: 'sign a folder',
    prepare({ work, home }) {
      writeTree(join(work, 'agent.bundle'), MINI)
      installKeys(home)
    },
    args: ['agent', 'sign', 'agent.bundle', '--key', 'release'],
  },
  {
    name: 'sign a folder as the second',
    prepare({ work, home }) {
      writeTree(join(work, 'agent.bundle'), signed(MINI, 'security'))
      installKeys(home)
    },
    args: ['agent', 'sign', 'agent.bundle', '--key', 'release'],
  },
  {
    name: 'install',
    prepare(place) {
      policy(place)
      put(place.work, 'new.bundle', NEW)
    },
    args: INSTALL,
    ...INSTALLING,
  },
  {
    name: 'upgrade',
    async prepare(place) {
      await installed(place, OLD)
      put(place.work, 'new.bundle', NEW)
    },
    args: INSTALL,
    ...INSTALLING,
  },
  {
    name: 'upgrade without a folder',
    async prepare(place) {
      await installed(place, OLD)
      put(place.work, 'new.bundle', NEW)
    },
    args: [...INSTALL, '--no-unpack'],
    ...INSTALLING,
  },
  {
    name: 'install from a layout',
    prepare: fetching,
    args: INSTALL_STORED,
    ...INSTALLING,
  },
  {
    name: 'upgrade from a layout, with a signature that was added',
    async prepare(place) {
      await installed(place, OLD)
      await fetching(place)
      installKeys(place.home)
      await place.rlp('agent', 'sign', STORED, '--key', 'security', '--expect', 'mini@1.1.0')
    },
    args: INSTALL_STORED,
    ...INSTALLING,
  },
  {
    name: 'uninstall',
    prepare: place => installed(place, OLD),
    args: ['agent', 'uninstall', 'mini', '--yes'],
    ...INSTALLING,
    again: [{ args: ['agent', 'uninstall', 'mini', '--yes'], exits: [0, 2] }],
  },
  {
    name: 'trust add',
    prepare({ home }) {
      installKeys(home)
    },
    args: ['trust', 'add', 'release', 'release'],
  },
  {
    name: 'trust add to a policy',
    prepare(place) {
      policy(place, POLICY)
      installKeys(place.home)
    },
    args: ['trust', 'add', 'second', 'second'],
  },
  {
    name: 'trust remove',
    prepare: place => policy(place),
    args: ['trust', 'remove', 'security'],
    again: [{ args: ['trust', 'remove', 'security'], exits: [0, 2] }],
  },
  {
    name: 'trust revoke',
    prepare: place => policy(place),
    args: ['trust', 'revoke', KEYS.security.anchor, '--since', '2026-11-01'],
  },
  {
    name: 'trust reset',
    prepare: place => installed(place, OLD),
    args: ['trust', 'reset', 'mini'],
    again: [{ args: ['trust', 'reset', 'mini'], exits: [0, 2] }],
  },
  {
    name: 'trust reset --to',
    prepare: place => installed(place, NEW),
    args: ['trust', 'reset', 'mini', '--to', '1.0.0'],
    // The second reset is recorded too.
    again: [{ args: ['trust', 'reset', 'mini', '--to', '1.0.0'], exits: [0] }],
    endsOtherwise: true,
  },
  {
    name: 'key generate',
    prepare: ({ home }) => void mkdirSync(home, { recursive: true }),
    args: ['key', 'generate', 'new', '--no-passphrase'],
    byChance: /^home\/keys\/new\.(?:pem|pub)$/,
    again: [{ args: ['key', 'generate', 'new', '--no-passphrase'], exits: [0, 2] }],
  },
  {
    name: 'scaffold',
    prepare: ({ work }) => void mkdirSync(work, { recursive: true }),
    args: ['agent', 'scaffold', 'mailer', '--non-interactive'],
    again: [{ args: ['agent', 'scaffold', 'mailer', '--non-interactive'], exits: [0, 2] }],
  },
  {
    name: 'tool add',
    prepare: ({ work }) => void writeTree(join(work, 'mini'), MINI),
    args: toolAdd('a.b'),
    again: [{ args: toolAdd('c.d'), exits: [0] }],
    endsOtherwise: true,
  },
]

function toolAdd(id: string): string[] {
  const about = [
    '--id',
    id,
    '--description',
    'Does it',
    '--kind',
    'exec',
    '--command',
    '/usr/bin/jq',
    '--grant',
  ]
  const schema = '{"type":"object","additionalProperties":false}'
  return ['tool', 'add', 'mini', ...about, '--input-schema', schema, '--result-schema', schema]
}

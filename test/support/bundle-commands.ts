// What every command does with a bundle that a stranger has written, for the test that holds them to time in proportion.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundleOf, writeTree } from './agent.ts'
import type { BundleShape } from './bundle-shapes.ts'
import { policyText, RELEASE, STRANGER } from './install-world.ts'
import { signedTree } from './signed.ts'
import { installKeys } from './trust-world.ts'

export interface Line {
  readonly args: readonly string[]
  /** Exit codes that may be; 0 where absent. */
  readonly exits?: readonly number[]
  /** What is run before it, and not measured. */
  readonly before?: readonly (readonly string[])[]
  readonly input?: string
  /** It looks at everything in the bundle, and so meets every shape. */
  readonly isDeep?: true
}

/** The first version of an agent, the second, and the folder of the first. */
export const [OLD, NEW, SOURCE] = [
  'mini-1.0.0.agent.bundle',
  'mini-1.1.0.agent.bundle',
  'agents/mini',
] as const

/** A folder with the bundles of a shape, its trust policy in `home`. */
export function prepareFolder(folder: string, shape: BundleShape, size: number): void {
  const home = join(folder, 'home')
  mkdirSync(home)
  const policy = join(home, 'trust-policy.toml')
  writeFileSync(policy, policyText())
  chmodSync(policy, 0o644)
  installKeys(home)
  for (const [name, tag] of [
    [OLD, ''],
    [NEW, 'v'],
  ] as const) {
    const tree = shape.make(size, tag)
    writeFileSync(join(folder, name), bundleOf(signedTree(tree, [RELEASE])))
    if (tag === '') writeTree(join(folder, SOURCE), tree)
  }
}

const question = (bundle: string) => `${JSON.stringify({ id: 1, bundle, within_ms: 600_000 })}\n`
const said = (id: number, method: string, params: object = {}) =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`
const CLIENT = [
  said(1, 'initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'c', version: '1' },
  }),
  `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`,
  said(2, 'tools/list'),
].join('')

const INSTALLED = ['agent', 'install', OLD, '--root', 'root', '--yes', '--no-unpack']
const exported = (to: string) => ['tool', 'export', OLD, '--to', to, '--out', 'exported.json']
const imported = (from: string): Line => ({
  args: [
    ...['tool', 'import', 'exported.json', '--from', from, '--out', 'imported.json'],
    ...(from === 'agentcli' ? ['--install-dir', '/opt/x'] : ['--command', '/usr/bin/jq']),
  ],
  before: [exported(from)],
})

/** Of each command the lines that read a stranger's bundle or document, or why it reads none. */
export const BUNDLE_COMMANDS: Readonly<Record<string, readonly Line[] | string>> = {
  'agent scaffold': 'writes a new agent',
  'agent init': 'reads a folder of the author as agent digest does',
  'agent version': [{ args: ['agent', 'version', '9.0.0', SOURCE], exits: [0, 1] }],
  'agent dev': 'reads a folder of the author as agent lint and digest do',
  'agent test': 'calls tools of a folder of the author as tool call does',
  'agent lint': [
    { args: ['agent', 'lint', SOURCE], exits: [0, 1], isDeep: true },
    { args: ['agent', 'lint', SOURCE, '--format', 'sarif'], exits: [0, 1], isDeep: true },
    { args: ['agent', 'lint', SOURCE, '--format', 'junit'], exits: [0, 1] },
    { args: ['agent', 'lint', SOURCE, '--format', 'codequality'], exits: [0, 1] },
  ],
  'agent digest': [{ args: ['agent', 'digest', SOURCE, '--check'], exits: [0, 1] }],
  'agent pack': [{ args: ['agent', 'pack', SOURCE, '--out', 'packed.bundle'], exits: [0, 1] }],
  'agent push': [{ args: ['agent', 'push', OLD, 'oci-layout:store'] }],
  'agent copy': [
    {
      args: ['agent', 'copy', 'oci-layout:store:1.0.0', 'oci-layout:copied'],
      before: [['agent', 'push', OLD, 'oci-layout:store']],
    },
  ],
  'report merge': 'reads reports, and no bundle',
  'agent detach': 'reads what is attached to a stored bundle, and nothing of the bundle',
  'agent pull': [
    {
      args: ['agent', 'pull', 'oci-layout:store:1.0.0', '--out-dir', 'pulled', '--expect', 'mini'],
      before: [['agent', 'push', OLD, 'oci-layout:store']],
    },
  ],
  'agent verify': [
    { args: ['agent', 'verify', OLD] },
    { args: ['agent', 'verify', OLD, '--json'] },
    { args: ['agent', 'verify', OLD, '--format', 'sarif'] },
    { args: ['agent', 'verify', NEW, '--locked'], before: [['lock', 'add', OLD]], exits: [0, 1, 4] },
  ],
  'agent sign': [{ args: ['agent', 'sign', OLD, '--key', 'security'] }],
  'agent install': [
    { args: [...INSTALLED] },
    {
      args: ['agent', 'install', NEW, '--root', 'root', '--allow-caps-change', '--no-unpack'],
      before: [INSTALLED],
      isDeep: true,
    },
    { args: ['agent', 'install', NEW, '--root', 'root'], before: [INSTALLED], exits: [0, 4] },
  ],
  'agent list': [{ args: ['agent', 'list', '--root', 'root', '--json'], before: [INSTALLED] }],
  'agent uninstall': [
    { args: ['agent', 'uninstall', 'mini', '--root', 'root', '--yes'], before: [INSTALLED] },
  ],
  'agent run': [{ args: ['agent', 'run', OLD, '--sandbox', 'off'], exits: [0, 1] }],
  'agent inspect': [
    { args: ['agent', 'inspect', OLD], isDeep: true },
    ...['json', 'markdown', 'html'].map(format => ({ args: ['agent', 'inspect', OLD, '--format', format] })),
    { args: ['agent', 'inspect', NEW, '--against', OLD, '--json'] },
    { args: ['agent', 'inspect', NEW, '--against', OLD, '--format', 'html'], isDeep: true },
  ],
  'agent diff': [
    { args: ['agent', 'diff', OLD, NEW], exits: [0, 4] },
    { args: ['agent', 'diff', OLD, NEW, '--json'], exits: [0, 4], isDeep: true },
  ],
  'agent sbom': [{ args: ['agent', 'sbom', OLD], isDeep: true }],
  'agent attest': [
    {
      args: [
        ...['agent', 'attest', OLD, '--type', 'https://scan.example/v1'],
        ...['--predicate', 'exported.json', '--key', 'security'],
      ],
      before: [['tool', 'export', OLD, '--to', 'agentcli', '--out', 'exported.json']],
    },
  ],
  'agent provenance': [
    {
      args: [
        ...['agent', 'provenance', OLD, '--builder', 'https://ci.example/1'],
        ...['--source', 'https://git.example/a', '--revision', 'a'.repeat(40)],
      ],
    },
  ],
  'lock add': [{ args: ['lock', 'add', OLD] }],
  'lock check': [{ args: ['lock', 'check', 'mini'], before: [['lock', 'add', OLD]] }],
  'lock update': [{ args: ['lock', 'update', NEW, '--allow-caps-change'], before: [['lock', 'add', OLD]] }],
  'lock remove': 'takes an agent out by its name, and reads no bundle',
  'lock outdated': 'reads tags alone',
  'lock list': [{ args: ['lock', 'list'], before: [['lock', 'add', OLD]] }],
  'caps show': [{ args: ['caps', 'show', SOURCE] }, { args: ['caps', 'show', SOURCE, '--json'] }],
  'key generate': 'makes a key',
  'key import': 'reads a key of the user',
  'key list': 'reads keys of the user',
  'key show': 'reads a key of the user',
  'trust add': [
    { args: ['trust', 'add', 'more', STRANGER.anchor, '--agent', 'mini', '--dry-run'], before: [INSTALLED] },
  ],
  'trust remove': 'reads the policy of the user, and installed bundles as trust add does',
  'trust revoke': [{ args: ['trust', 'revoke', OLD, '--dry-run'] }],
  'trust group': 'reads the policy of the user, and installed bundles as trust add does',
  'trust require': 'reads the policy of the user, and installed bundles as trust add does',
  'trust floor': 'reads the policy of the user, and installed bundles as trust add does',
  'trust reset': 'reads what this machine remembers',
  'trust list': 'reads the policy of the user',
  'trust follow': 'takes a channel',
  'trust update': 'takes channels',
  'trust status': 'shows channels',
  'trust unfollow': 'forgets a channel',
  doctor: 'looks at this host',
  'trust diff': 'reads two files of policies',
  'trust test': 'reads the bundles that the person’s own file of questions names',
  'trust explain': [{ args: ['trust', 'explain', OLD] }],
  'channel init': 'is about the trust channel of the person who runs it',
  'channel release': 'is about the trust channel of the person who runs it',
  'channel rotate': 'is about the trust channel of the person who runs it',
  'channel sign': 'is about the trust channel of the person who runs it',
  'channel heartbeat': 'is about the trust channel of the person who runs it',
  'channel status': 'is about the trust channel of the person who runs it',
  'channel push': 'is about the trust channel of the person who runs it',
  'channel pull': 'is about the trust channel of the person who runs it',
  'tool list': [{ args: ['tool', 'list', OLD] }, { args: ['tool', 'list', OLD, '--json'] }],
  'tool call': [
    { args: ['tool', 'call', 't0', OLD, '--dry-run', '--yes', '--json'], exits: [0, 1, 2, 3, 4] },
  ],
  'tool serve': [{ args: ['tool', 'serve', OLD], input: CLIENT }],
  'tool replay': 'verifies and calls as tool call does',
  'tool add': [
    {
      args: [
        ...['tool', 'add', SOURCE, '--id', 'more', '--description', 'Does more', '--command', '/usr/bin/jq'],
        ...['--input-schema', 'none', '--result-schema', 'none', '--grant', '--non-interactive'],
      ],
    },
  ],
  'tool edit': 'edits as tool add does',
  'tool remove': 'edits as tool add does',
  'tool export': [
    { args: exported('mcp'), isDeep: true },
    ...['openai', 'agent-tool', 'agentcli'].map(to => ({ args: exported(to) })),
    { args: ['tool', 'export', OLD, '--to', 'openai', '--json'] },
  ],
  'tool import': ['openai', 'mcp', 'agent-tool', 'agentcli'].map(imported),
  'tool check-result': 'reads one answer of a tool',
  gate: [{ args: ['gate'], input: question(OLD) }],
  login: 'tells a registry who logs in',
  logout: 'forgets who logs in',
  completion: 'prints a script',
}

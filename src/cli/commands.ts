// The registry of commands: one file and one line each. A command's module is loaded only when it is called.
import type { Registry } from './command.ts'

export const REGISTRY: Registry = {
  groups: [
    { name: 'agent', summary: 'Author, pack, sign, verify and install agents' },
    { name: 'tool', summary: 'List, add, change, convert and call the tools of an agent' },
    { name: 'lock', summary: 'Pin what the agents of a deployment are and may do' },
    { name: 'caps', summary: 'Show and check what an agent may do' },
    { name: 'key', summary: 'Make, keep and show signing keys' },
    { name: 'trust', summary: 'Decide whose signatures count' },
    { name: 'channel', summary: 'Publish one trust policy for many hosts' },
  ],
  mainJob: [
    'agent scaffold',
    'agent lint',
    'agent pack',
    'agent sign',
    'agent push',
    'agent verify',
    'agent install',
    'tool call',
  ],
  commands: [
    {
      name: 'agent scaffold',
      summary: 'write a new agent’s folder; asks on a terminal',
      load: () => import('../scaffold/agent-command.ts'),
    },
    {
      name: 'agent init',
      summary: 'make an agent of a folder that exists; every file of it stays',
      load: () => import('../scaffold/init-command.ts'),
    },
    {
      name: 'agent version',
      summary: 'set the version in an agent’s manifest',
      load: () => import('../scaffold/version-command.ts'),
    },
    {
      name: 'agent lint',
      summary: 'check manifest, policy, tools and schemas, and that they agree',
      load: () => import('../lint/command.ts'),
    },
    {
      name: 'agent digest',
      summary: 'write BLAKE3 digests into manifest.toml',
      load: () => import('../pack/digest-command.ts'),
    },
    {
      name: 'agent dev',
      summary: 'follow a folder while you work in it, and serve its tools to an MCP client, unverified',
      load: () => import('../call/dev-command.ts'),
    },
    {
      name: 'agent test',
      summary: 'run the cases of an agent’s tools, or record one',
      load: () => import('../call/test-command.ts'),
    },
    {
      name: 'agent pack',
      summary: 'lint, check digests, write the bundle',
      load: () => import('../pack/pack-command.ts'),
    },
    {
      name: 'agent push',
      summary: 'store bundles in a registry, or in a layout folder',
      load: () => import('../registry/push-command.ts'),
    },
    {
      name: 'agent copy',
      summary: 'copy stored bundles to another registry, with what was added to them',
      load: () => import('../registry/copy-command.ts'),
    },
    {
      name: 'agent detach',
      summary: 'remove signatures and statements beside a stored bundle',
      load: () => import('../registry/detach-command.ts'),
    },
    {
      name: 'agent pull',
      summary: 'fetch a bundle from a registry, verify it, and put it in a folder',
      load: () => import('../registry/pull-command.ts'),
    },
    {
      name: 'agent verify',
      summary: 'the verdict on a bundle, and what was checked for it',
      load: () => import('../fleet/verify-command.ts'),
    },
    {
      name: 'agent sign',
      summary: 'add a signature to a bundle',
      load: () => import('../sign/sign-command.ts'),
    },
    {
      name: 'agent install',
      summary: 'verify a bundle, and put it in the place of its last version',
      load: () => import('../lock/install-command.ts'),
    },
    {
      name: 'agent list',
      summary: 'installed bundles, with their verdict under today’s policies',
      load: () => import('../install/agent-list-command.ts'),
    },
    {
      name: 'agent uninstall',
      summary: 'remove an installed agent',
      load: () => import('../install/uninstall-command.ts'),
    },
    {
      name: 'agent run',
      summary: 'run the module of a verified bundle, in the sandbox',
      load: () => import('../call/run-command.ts'),
    },
    {
      name: 'agent inspect',
      summary: 'signers and contents of a bundle, and what each tool needs',
      load: () => import('../inspect/inspect-command.ts'),
    },
    {
      name: 'agent diff',
      summary: 'what changed between two bundles, permissions first',
      load: () => import('../inspect/diff-command.ts'),
    },
    {
      name: 'agent sbom',
      summary: 'the bill of materials of a sound bundle, in CycloneDX',
      load: () => import('../evidence/sbom-command.ts'),
    },
    {
      name: 'agent attest',
      summary: 'state anything about bundles, signed: a scan, a test, an approval',
      load: () => import('../evidence/attest-command.ts'),
    },
    {
      name: 'agent provenance',
      summary: 'state who built a bundle, and from what, in SLSA provenance',
      load: () => import('../evidence/provenance-command.ts'),
    },
    {
      name: 'lock add',
      summary: 'pin what agents are and may do, in rlp.lock',
      load: () => import('../lock/lock-add-command.ts'),
    },
    {
      name: 'lock check',
      summary: 'say whether agents are still what rlp.lock pins',
      load: () => import('../lock/lock-check-command.ts'),
    },
    {
      name: 'lock update',
      summary: 'take what changed into rlp.lock, unless it may do more',
      load: () => import('../lock/lock-update-command.ts'),
    },
    {
      name: 'lock outdated',
      summary: 'say which agents have a newer version or end soon',
      load: () => import('../lock/lock-outdated-command.ts'),
    },
    {
      name: 'lock remove',
      summary: 'take agents out of rlp.lock',
      load: () => import('../lock/lock-remove-command.ts'),
    },
    {
      name: 'lock list',
      summary: 'show what rlp.lock pins',
      load: () => import('../lock/lock-list-command.ts'),
    },
    {
      name: 'caps show',
      summary: 'show what an agent may do here, after overrides',
      load: () => import('../caps/show-command.ts'),
    },
    {
      name: 'key generate',
      summary: 'make a signing key',
      load: () => import('../sign/key-generate-command.ts'),
    },
    {
      name: 'key import',
      summary: 'keep a signing key that you have under a name',
      load: () => import('../sign/key-import-command.ts'),
    },
    {
      name: 'key list',
      summary: 'the keys in ~/.runloop/keys, with their public halves',
      load: () => import('../sign/key-list-command.ts'),
    },
    {
      name: 'key show',
      summary: 'the public half of a key, for trust policies and for openssl',
      load: () => import('../sign/key-show-command.ts'),
    },
    {
      name: 'trust add',
      summary: 'let a signer count, and say what they may grant',
      load: () => import('../trust/add-command.ts'),
    },
    {
      name: 'trust remove',
      summary: 'stop trusting a signer, and delete their rule',
      load: () => import('../trust/remove-command.ts'),
    },
    {
      name: 'trust revoke',
      summary: 'let a key, an identity or a bundle never count again',
      load: () => import('../trust/revoke-command.ts'),
    },
    {
      name: 'trust group',
      summary: 'make a group, which counts when enough of its signers do',
      load: () => import('../trust/group-command.ts'),
    },
    {
      name: 'trust require',
      summary: 'demand signers, or an end that is near',
      load: () => import('../trust/require-command.ts'),
    },
    {
      name: 'trust floor',
      summary: 'accept no version of an agent that is older',
      load: () => import('../trust/floor-command.ts'),
    },
    {
      name: 'trust reset',
      summary: 'lower how new an agent was here, and record that it was lowered',
      load: () => import('../trust/reset-command.ts'),
    },
    {
      name: 'trust list',
      summary: 'show whose signatures count, and what each signer may grant',
      load: () => import('../trust/trust-list-command.ts'),
    },
    {
      name: 'trust explain',
      summary: 'say which line of the trust policy decides about a bundle',
      load: () => import('../trust/explain-command.ts'),
    },
    {
      name: 'trust test',
      summary: 'ask a trust policy questions, and compare the verdicts',
      load: () => import('../trust/test-command.ts'),
    },
    {
      name: 'trust diff',
      summary: 'what a trust policy trusts that another does not',
      load: () => import('../trust/diff-command.ts'),
    },
    {
      name: 'trust follow',
      summary: 'take the trust policy that a channel publishes, from now on',
      load: () => import('../follow/follow-command.ts'),
    },
    {
      name: 'trust update',
      summary: 'fetch what the channels that are followed have published',
      load: () => import('../follow/update-command.ts'),
    },
    {
      name: 'trust status',
      summary: 'show the channels that are followed, and until when they count',
      load: () => import('../follow/status-followed-command.ts'),
    },
    {
      name: 'trust unfollow',
      summary: 'no longer take the trust policy of a channel',
      load: () => import('../follow/unfollow-command.ts'),
    },
    {
      name: 'channel init',
      summary: 'begin a trust channel: say who may speak for it',
      load: () => import('../channel/init-command.ts'),
    },
    {
      name: 'channel release',
      summary: 'draft the next release of a trust policy',
      load: () => import('../channel/release-command.ts'),
    },
    {
      name: 'channel rotate',
      summary: 'draft the next root: change who may speak, or let the root last longer',
      load: () => import('../channel/rotate-command.ts'),
    },
    {
      name: 'channel sign',
      summary: 'sign what is drafted, after looking at it',
      load: () => import('../channel/sign-command.ts'),
    },
    {
      name: 'channel heartbeat',
      summary: 'say that the newest release is still the newest',
      load: () => import('../channel/heartbeat-command.ts'),
    },
    {
      name: 'channel status',
      summary: 'show a trust channel, who has signed, and what to do next',
      load: () => import('../channel/status-command.ts'),
    },
    {
      name: 'channel push',
      summary: 'publish a trust channel, or hand its drafts to the others',
      load: () => import('../channel/push-command.ts'),
    },
    {
      name: 'channel pull',
      summary: 'fetch a trust channel with its drafts into a folder, to work on it',
      load: () => import('../channel/pull-command.ts'),
    },
    {
      name: 'tool list',
      summary: 'list the tools that may be called, of a verified bundle',
      load: () => import('../call/tool-list-command.ts'),
    },
    {
      name: 'tool call',
      summary: 'call a tool of a verified bundle',
      load: () => import('../call/call-command.ts'),
    },
    {
      name: 'tool serve',
      summary: 'serve the tools of verified bundles to an MCP client',
      load: () => import('../call/serve-command.ts'),
    },
    {
      name: 'tool replay',
      summary: 'answer recorded calls from a trace, or run them again and compare',
      load: () => import('../call/replay-command.ts'),
    },
    {
      name: 'tool add',
      summary: 'add a tool to an agent’s tools.json',
      load: () => import('../scaffold/tool-command.ts'),
    },
    {
      name: 'tool edit',
      summary: 'change a tool in an agent’s tools.json',
      load: () => import('../scaffold/tool-edit-command.ts'),
    },
    {
      name: 'tool remove',
      summary: 'remove tools from an agent’s tools.json',
      load: () => import('../scaffold/tool-remove-command.ts'),
    },
    {
      name: 'tool export',
      summary: 'write an agent’s tools for OpenAI, MCP, Agent Tool or agentcli',
      load: () => import('../convert/export-command.ts'),
    },
    {
      name: 'tool import',
      summary: 'add the tools of an agentcli, OpenAI, MCP or Agent Tool file to an agent',
      load: () => import('../convert/import-command.ts'),
    },
    {
      name: 'tool check-result',
      summary: 'say whether what a tool answered honours the tool contract',
      load: () => import('../call/check-result-command.ts'),
    },
    {
      name: 'login',
      summary: 'log in to a registry, for every command after it',
      load: () => import('../registry/login-command.ts'),
    },
    {
      name: 'logout',
      summary: 'forget a login to a registry',
      load: () => import('../registry/logout-command.ts'),
    },
    {
      name: 'gate',
      summary: 'tell another program whether a bundle may be used',
      load: () => import('../gate/gate-command.ts'),
    },
    {
      name: 'doctor',
      summary: 'say what is wrong on this host, what ends soon, and how to mend it',
      load: () => import('../doctor/doctor-command.ts'),
    },
    {
      name: 'completion',
      summary: 'print a completion script for bash, zsh or fish',
      load: () => import('./completion/command.ts'),
    },
  ],
}

// The registry of commands: one file and one line each. A command's module is loaded only when it is called.
import type { Registry } from '../command.ts'

export const REGISTRY: Registry = {
  groups: [
    { name: 'agent', summary: 'Author, pack, sign, verify and install agents' },
    { name: 'tool', summary: 'List, add, convert and call the tools of an agent' },
    { name: 'caps', summary: 'Show and check what an agent may do' },
    { name: 'key', summary: 'Make and show signing keys' },
    { name: 'trust', summary: 'Decide whose signatures count' },
  ],
  commands: [
    {
      name: 'agent scaffold',
      summary: 'write a new agent’s folder; asks on a terminal',
      load: () => import('./agent-scaffold.ts'),
    },
    {
      name: 'agent lint',
      summary: 'check manifest, policy, tools and schemas, and that they agree',
      load: () => import('./agent-lint.ts'),
    },
    {
      name: 'agent digest',
      summary: 'write BLAKE3 digests into manifest.toml',
      load: () => import('./agent-digest.ts'),
    },
    {
      name: 'agent pack',
      summary: 'lint, check digests, write the bundle',
      load: () => import('./agent-pack.ts'),
    },
    {
      name: 'agent verify',
      summary: 'the verdict on a bundle, and what was checked for it',
      load: () => import('./agent-verify.ts'),
    },
    {
      name: 'agent sign',
      summary: 'add a signature to a bundle',
      load: () => import('./agent-sign.ts'),
    },
    {
      name: 'agent install',
      summary: 'verify a bundle, and put it in the place of its last version',
      load: () => import('./agent-install.ts'),
    },
    {
      name: 'agent list',
      summary: 'what is installed, and what today’s policies say of it',
      load: () => import('./agent-list.ts'),
    },
    {
      name: 'agent uninstall',
      summary: 'remove an installed agent',
      load: () => import('./agent-uninstall.ts'),
    },
    {
      name: 'agent inspect',
      summary: 'who signed a bundle, what is in it, and what each tool needs',
      load: () => import('./agent-inspect.ts'),
    },
    {
      name: 'agent diff',
      summary: 'what changed between two bundles, what they may do first',
      load: () => import('./agent-diff.ts'),
    },
    {
      name: 'caps show',
      summary: 'show what an agent may do here, after overrides',
      load: () => import('./caps-show.ts'),
    },
    {
      name: 'caps lint',
      summary: 'check policy.caps, and the overrides of it on this host',
      load: () => import('./caps-lint.ts'),
    },
    {
      name: 'key generate',
      summary: 'make a signing key',
      load: () => import('./key-generate.ts'),
    },
    {
      name: 'key show',
      summary: 'the public half of a key, for trust policies and for openssl',
      load: () => import('./key-show.ts'),
    },
    {
      name: 'trust add',
      summary: 'let a signer count, and say what they may grant',
      load: () => import('./trust-add.ts'),
    },
    {
      name: 'trust remove',
      summary: 'let a signer count no more, and forget the rule',
      load: () => import('./trust-remove.ts'),
    },
    {
      name: 'trust revoke',
      summary: 'let a key or a bundle never count again',
      load: () => import('./trust-revoke.ts'),
    },
    {
      name: 'trust reset',
      summary: 'lower how new an agent was here, and record that it was lowered',
      load: () => import('./trust-reset.ts'),
    },
    {
      name: 'trust list',
      summary: 'show whose signatures count, and what each signer may grant',
      load: () => import('./trust-list.ts'),
    },
    {
      name: 'trust explain',
      summary: 'say which line of the trust policy decides about a bundle',
      load: () => import('./trust-explain.ts'),
    },
    {
      name: 'tool list',
      summary: 'list the tools that may be called, of a verified bundle',
      load: () => import('./tool-list.ts'),
    },
    {
      name: 'tool call',
      summary: 'call a tool of a verified bundle',
      load: () => import('./tool-call.ts'),
    },
    {
      name: 'tool serve',
      summary: 'serve the tools of verified bundles to an MCP client',
      load: () => import('./tool-serve.ts'),
    },
    {
      name: 'tool replay',
      summary: 'answer recorded calls from a trace, or run them again and compare',
      load: () => import('./tool-replay.ts'),
    },
    {
      name: 'tool add',
      summary: 'add a tool to an agent’s tools.json',
      load: () => import('./tool-add.ts'),
    },
    {
      name: 'tool export',
      summary: 'write an agent’s tools for OpenAI, MCP, Agent Tool or agentcli',
      load: () => import('./tool-export.ts'),
    },
    {
      name: 'tool import',
      summary: 'add the tools of an agentcli, OpenAI or MCP file to an agent',
      load: () => import('./tool-import.ts'),
    },
    {
      name: 'tool check-result',
      summary: 'say whether what a tool answered honours the tool contract',
      load: () => import('./tool-check-result.ts'),
    },
    {
      name: 'completion',
      summary: 'print a completion script for bash, zsh or fish',
      load: () => import('./completion.ts'),
    },
  ],
}

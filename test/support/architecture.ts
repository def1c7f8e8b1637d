// The tables that test/product/architecture.test.ts holds src/ against. An exception is here with its reason, or it is not there.

/** One folder for each file type, from bytes to a model and back. They read each other: a manifest holds TOML, a bundle holds a manifest. */
const FILE_TYPES: readonly string[] = [
  'text',
  'json',
  'toml',
  'schema',
  'agent',
  'tools',
  'agent-tool',
  'agentcli',
  'openai',
  'policy',
  'trust-policy',
  'bundle',
  'version',
  'signature',
  'sigstore',
  'statement',
  'lock-file',
  'channel-file',
  'state',
  'config',
  'secret',
  'oci',
  'wasm',
]

/** The ground floor, and what each of its folders may import beside itself. */
export const GROUND: Readonly<Record<string, readonly string[]>> = {
  model: [],
  ...Object.fromEntries(FILE_TYPES.map(folder => [folder, ['model', ...FILE_TYPES]])),
  // An entry point of its own. What two readers of arguments could understand differently is refused by the one strict scan.
  contract: ['model', ...FILE_TYPES],
  // What programs read of any command: SARIF, annotations, JUnit, envelopes.
  report: ['model', ...FILE_TYPES, 'contract'],
  io: ['model', ...FILE_TYPES, 'contract'],
  net: ['model', ...FILE_TYPES, 'contract', 'io'],
  // From one declaration to a command and a function: what it says to people, it says as cli/ does.
  verb: ['model', ...FILE_TYPES, 'contract', 'io', 'cli'],
}

/** A room for each job of the user, in the order of the flow. A room uses those above it, and the ground floor. */
export const ROOMS: readonly string[] = [
  'scaffold',
  'lint',
  'pack',
  'sign',
  'trust',
  'sandbox',
  'caps',
  'verify',
  'inspect',
  'install',
  'convert',
  'call',
  'registry',
  'evidence',
  'fleet',
  'lock',
  'gate',
  'follow',
  'channel',
  'doctor',
]

/** The files of a room that face a person or a pipeline: only they use cli/. */
export const FRONT =
  /^src\/[a-z]+\/(?:(?:[a-z-]+-)?(?:command|options)\.ts$|(?:render|ask)(?:-[a-z-]+)?\.ts$|(?:wizard|formats|verbs)\/)/

/** Verbs and their inputs: a verb joins what several rooms do, and says it to people as its room does. */
export const VERBS: RegExp = /^src\/[a-z]+\/(?:verbs\/[a-z-]+|(?:[a-z-]+-)?inputs)\.ts$/

/**
 * Files that use a room further down, commands among them: each joins what one call of a user asks of both. What the lower room finds out is
 * handed to the upper one as a value.
 */
export const JOINS: Readonly<Record<string, string>> = {
  'src/fleet/locked-bundles.ts': 'locks are a list of bundles to verify',
  'src/follow/unfollow.ts': 'a publisher of the channel remembers what this host has seen of it',
  'src/gate/gate-command.ts': 'with --update the gate updates the trust channels that are followed',
  'src/pack/compare.ts': 'a bundle to compare with may be in a registry',
  'src/pack/pack-agent.ts': 'who built a bundle is stated, if asked for, before the bundle takes its place',
  'src/scaffold/add-tool.ts': 'a tool is added only if lint finds nothing wrong with it',
  'src/scaffold/init-agent.ts': 'the digests of what is there are written in the same call',
  'src/scaffold/wizard/scaffold-plan.ts': 'the wizard asks again for what lint would find',
  'src/scaffold/wizard/judge-answer.ts': 'an answer is judged by the rules of lint, at its question',
  'src/sign/ask-to-sign.ts': 'a bundle may be signed where it is stored, in a registry',
  'src/sign/keyless/keyless.ts': 'only a sound bundle is signed',
  'src/sign/sign-bundle.ts':
    'only a sound bundle is signed, and what was signed is verified before it is written',
  'src/sign/verbs/sign.ts': 'with --if-trusted a bundle is refused as verify refuses it',
  'src/trust/bundle-request.ts': 'reads the bundle that a grant is for',
  'src/trust/effect.ts': 'a change of a policy says what becomes of everything that is installed',
  'src/trust/render-explained.ts': 'a policy is explained by the verdict on a bundle',
  'src/trust/explain.ts': 'a policy is explained by the verdict on a bundle',
  'src/trust/reset-marks.ts': 'forgets what install has recorded, and what is installed',
  'src/trust/question-file.ts': 'a question may be about a bundle, which is judged as verify judges it',
  'src/trust/revoke.ts': 'the digest to revoke may be that of a bundle',
  'src/verify/examine.ts': 'a bundle in a registry is opened where every other bundle is opened',
}

/** Files of rooms that touch the disk themselves, in steps that only their job knows; all else asks io/. */
export const DISK: readonly string[] = [
  'src/call/scratch.ts',
  'src/call/secrets/folder.ts',
  'src/call/wasi/runner.ts',
  'src/install/incoming.ts',
  'src/install/place-bundle.ts',
  'src/install/recover.ts',
  'src/net/serve/listen-at.ts',
  'src/registry/layout/files.ts',
  'src/registry/login.ts',
  'src/registry/plain-archive.ts',
  'src/registry/pull.ts',
  'src/sandbox/kinds/bubblewrap.ts',
  'src/scaffold/editor-schemas.ts',
  'src/sign/named-keys.ts',
  'src/sign/new-key.ts',
  'src/sign/write-signature.ts',
  'src/trust/write-trust.ts',
]

/** Files that start programs of others with no variable at all. */
export const EMPTY_ENVIRONMENT: Readonly<Record<string, string>> = {
  'src/call/wasi/run-module.ts': 'a module gets no variable',
  'src/sandbox/kinds/bubblewrap.ts': 'what the probe starts gets nothing from this process',
}

/** Names that more than one module exports. Elsewhere a name has one meaning, so that a search for it finds one thing. */
export const SAME_NAME: Readonly<Record<string, string>> = {
  command: 'each command, for the list of commands, which loads its file',
  verb: 'each verb, for the functions of the library, which are generated',
  agentcli: 'a format, in the registry of importers and in that of exporters',
  agentTool: 'a format, in both registries',
  mcp: 'a format, in both registries',
  openai: 'a format, in both registries',
  exec: 'a transport kind, and a family of capabilities',
  secrets: 'a family of capabilities, and a field of a tool',
  capabilities: 'a field of a tool, and the lines that show those of an agent',
  text: 'a format of findings; and the reader of a text in JSON',
  loadBundle: 'a function of the main entry and of the small one',
  LoadBundleOptions: 'its options in both',
  verifyBundle: 'a function of the main entry and of the small one',
  VerifyBundleOptions: 'its options in both',
}

/** Files with an effect when they are loaded: each is the first of a process or of a thread. */
export const PROGRAMS: Readonly<Record<string, string>> = {
  'src/call/wasi/runner.ts': 'the process in the sandbox that runs a module',
  'src/cli/bin.ts': 'the command',
  'src/fleet/fleet-worker.ts': 'a thread that verifies some of many bundles',
  'src/gate/service/gate-worker.ts': 'a thread that judges some of many questions',
  'src/net/tunnel/forwarder.ts': 'what starts a program in a sandbox that is granted hosts',
}

/** Those of them that are a process without cli/: they know its arguments, its descriptors and its end. */
export const OWN_PROCESS: readonly string[] = ['src/net/tunnel/forwarder.ts']

/** Files that import each other, each ring with its reason. */
export const RINGS: Readonly<Record<string, string>> = {}

/** What loading a package adds to what all programs of a process share. */
export const SHARED_NAMES: Readonly<Record<string, string>> = {
  __zod_globalConfig: 'zod, which the library of MCP brings: its copies in one process share their settings',
  __zod_globalRegistry: 'and what is registered in them',
}

/** The one file of src/ in which each npm package is imported. */
export const IMPORTED_IN: Readonly<Record<string, string>> = {
  '@clack/prompts': 'src/cli/prompt.ts',
  '@modelcontextprotocol/server': 'src/call/mcp-library.ts',
  '@noble/hashes': 'src/bundle/blake3.ts',
  '@sigstore/bundle': 'src/sigstore/prove.ts',
  '@sigstore/protobuf-specs': 'src/sigstore/prove.ts',
  '@sigstore/sign': 'src/sign/keyless/proofs.ts',
  '@sigstore/verify': 'src/sigstore/prove.ts',
  ajv: 'src/schema/generate.ts',
  'fast-string-width': 'src/cli/render/layout.ts',
  ignore: 'src/agent/ignore-file.ts',
  'smol-toml': 'src/toml/agree.ts',
  tar: 'src/pack/foreign-reader.ts',
  'toml-eslint-parser': 'src/toml/syntax.ts',
  yargs: 'src/cli/render/help.ts',
  'yargs-parser': 'src/cli/parse.ts',
}

/** Files with a limit of their own whose number a limit of src/model/limits.ts has too. */
export const OTHER_LIMITS: Readonly<Record<string, string>> = {
  'src/sandbox/seccomp.ts': 'the first number of a system call of another kind',
  'src/call/http/answer.ts': 'bytes of an error that are looked at',
  'src/agentcli/answer.ts': 'a limit of agentcli',
  'src/lint/rules/schema-graph.ts': 'steps of work',
  'src/registry/http/wire.ts': 'bytes of the headers of an answer',
}

/** Files that replace `~/` without naming an absolute path, with the reason. */
export const LABELLED_WITH_HOME: Readonly<Record<string, string>> = {
  'src/evidence/inputs.ts': 'the answer names the file of statements relative to the working folder',
  'src/trust/sigstore-root.ts': 'the file may be `-`, for standard input',
}

/** Files that hold a lock for more than one file that is read and written anew, with the reason. */
export const HOLDS_LOCK: Readonly<Record<string, string>> = {
  'src/call/trace.ts': 'a trace grows as long as its session lasts',
  'src/io/owner/other-user.ts': 'numbers of users are files of a folder',
  'src/io/root/install-root.ts': 'an installation changes a whole folder',
  'src/registry/layout/layout.ts': 'a push changes a whole folder',
  'src/sign/sign-bundle.ts': 'a bundle may be a folder, and is verified before it is replaced',
}

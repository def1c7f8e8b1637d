// The tables that test/product/architecture.test.ts holds src/ against. An exception stands here with its reason, or it does not stand.

/**
 * What each folder of src/ may import beside itself (DESIGN §2). `verbs` are the files at src/ with their steps in verification/, trust/ and calling/.
 * A new folder needs a row.
 */
export const MAY_IMPORT: Readonly<Record<string, readonly string[] | 'everything'>> = {
  transports: ['model'],
  // `Transport` is inferred from the registry of transports: the two are one level.
  model: ['transports'],
  format: ['model', 'transports'],
  // What two readers of arguments could understand differently is refused by the one strict scan, and patterns are followed by the one
  // matcher that cannot be slowed down. No format knows the contract.
  contract: ['model', 'transports', 'format'],
  // What a schema means, what a host is and which fact somebody stated is for the format to say, so that no two formats differ in it.
  exporters: ['model', 'transports', 'format'],
  importers: ['model', 'transports', 'format'],
  // A rule asks the format what a path, a digest or a host is, so that lint and the readers cannot differ. No format knows a rule.
  rules: ['model', 'transports', 'format'],
  verbs: ['model', 'transports', 'format', 'contract', 'rules', 'exporters', 'importers'],
  io: ['model', 'format', 'contract'],
  host: ['model', 'format', 'contract'],
  cli: 'everything',
}

/** Single files that import what their folder may not. */
export const EXCEPTIONS: readonly { readonly from: string; readonly to: string; readonly reason: string }[] =
  [
    {
      from: 'src/verify/verify-file.ts',
      to: 'io',
      reason: 'joins the pure verbs with the disk: the one pass that commands and public functions share',
    },
    {
      from: 'src/convert/load-agentcli.ts',
      to: 'io',
      reason: 'a public function that takes a path: one small file of another system',
    },
  ]

/** Files that import each other, each ring with its reason. */
export const RINGS: Readonly<Record<string, string>> = {}

/** The one file of src/ in which each npm package is imported. */
export const IMPORTED_IN: Readonly<Record<string, string>> = {
  '@clack/prompts': 'src/cli/prompt.ts',
  '@modelcontextprotocol/sdk': 'src/call/serve-mcp.ts',
  '@napi-rs/blake-hash': 'src/format/blake3.ts',
  '@noble/hashes': 'src/format/blake3-pure.ts',
  ajv: 'src/format/schema/generate.ts',
  'fast-string-width': 'src/cli/render/text-width.ts',
  ignore: 'src/format/ignore-file.ts',
  re2js: 'src/format/text/re2.ts',
  recheck: 'src/format/text/slow-pattern.ts',
  semver: 'src/format/version.ts',
  'smol-toml': 'src/format/toml/agree.ts',
  tar: 'src/pack/survey-archive.ts',
  'toml-eslint-parser': 'src/format/toml/syntax.ts',
  yargs: 'src/cli/parse.ts',
}

/** Files above the soft limit: the lines they may have, and why they are not split. */
export const LONGER: Readonly<Record<string, readonly [lines: number, reason: string]>> = {
  'src/scaffold/agent-command.ts': [
    180,
    'one command from questions to files, with what it refuses on the way',
  ],
  'src/sign/sign-command.ts': [
    180,
    'one command: what it refuses, what it signs, and what it says of it',
  ],
  'src/cli/commands.ts': [200, 'the registry: five lines for each command'],
  'src/scaffold/tool-command.ts': [
    200,
    'one command from questions to two edited files, with what it refuses on the way',
  ],
  'src/scaffold/tool-options.ts': [170, 'a third of it is the table of options'],
  'src/scaffold/wizard/scaffold-questions.ts': [170, 'a list of questions in the order in which they are asked'],
  'src/scaffold/wizard/tool-questions.ts': [160, 'a list of questions in the order in which they are asked'],
  'src/format/signature/envelope.ts': [
    160,
    'writing and strict reading of two documents that must agree to the byte',
  ],
  'src/format/json/scan.ts': [175, 'one pass over one grammar: its states share the cursor and the stack'],
  'src/format/schema/link.ts': [170, 'one set of documents that grows while its references are followed'],
  'src/format/schema/walk.ts': [160, 'a table of JSON Schema keywords and the walk that it steers'],
  'src/format/schema/words.ts': [170, 'one sentence for each keyword of JSON Schema'],
  'src/format/toml/plan.ts': [210, 'edits that follow each other see the same lines: the class holds them'],
  'src/format/toml/tree.ts': [
    200,
    "TOML's rules for tables that are defined twice, which only make sense together",
  ],
  'src/scaffold/scaffold.ts': [190, 'a third of it is the text of the files it writes, which could stand apart'],
  'src/call/serve-mcp.ts': [
    160,
    'one protocol: what its server says and asks imports one package, which one file may do',
  ],
}

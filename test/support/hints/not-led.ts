// Texts in src/ that name a command, and that hints-lead-on.test.ts does not follow: file, beginning of the text, and the reason.

const NAME_OF_OUTPUT = 'says which command wrote a report'
const GONE = 'said of an option that went, whatever the command was to do'
const OF_SEVERAL = 'said of several tools, and an info: test/lint/schema-rules.test.ts runs it'
const ANOTHER_JOB = 'a job on another machine is run again, which this one does not know'
const STATE = 'the state in an error, and its hint follows it'
const IN_A_FILE = 'a comment in a file that rlp writes'
const RACE = 'said if a file changes between two steps of one command'
const SANDBOX =
  'said where the sandbox of a machine does not work, or a program in it fails: no test makes that in process'
const SAID_BEFORE = 'lint or verify says its own fix for this before the command comes here'
const FALLBACK = 'said if there is no more exact hint; no state is known that has none'

export const NOT_LED: readonly (readonly [path: string, begins: string, reason: string])[] = [
  ['src/call/dev-command.ts', 'an MCP client starts it as', 'names the command that is running'],
  ['src/call/wasi/runnable.ts', 'Build it as a program', SAID_BEFORE],
  ['src/call/wasi/runnable.ts', 'Build it for wasm32-wasip1', SAID_BEFORE],
  ['src/call/wasi/run-module.ts', 'rlp doctor says', SANDBOX],
  ['src/doctor/agents.ts', 'rlp agent uninstall {} in one', 'needs an agent in a root of the system'],
  ['src/doctor/keys.ts', 'Make a new one', 'needs a file of another user'],
  ['src/follow/followed-list.ts', '# Trust channels', IN_A_FILE],
  ['src/channel/for-hosts.ts', 'rlp channel status shows what is there', FALLBACK],
  ['src/cli/generated/words.ts', '--version -V', 'descriptions of options, which other files declare'],
  ['src/cli/completion/shells.ts', '# bash completion', IN_A_FILE],
  ['src/cli/completion/shells.ts', '# fish completion', IN_A_FILE],
  ['src/cli/completion/shells.ts', '#compdef rlp', IN_A_FILE],
  ['src/cli/parse.ts', 'rlp login HOST', GONE],
  ['src/convert/verbs/import.ts', 'Cannot run', STATE],
  [
    'src/convert/verbs/import.ts',
    'Write rlp tool import <agent>',
    'the usage line of the command that was run',
  ],
  ['src/lock/formats/github.ts', 'rlp lock check', NAME_OF_OUTPUT],
  ['src/lock/formats/markdown.ts', 'And {} more', 'names the command that is running'],
  ['src/lock/formats/sarif.ts', 'rlp lock check', NAME_OF_OUTPUT],
  [
    'src/gate/question-answer.ts',
    'Ask about the file',
    'says what to ask about, to a program that has a folder',
  ],
  ['src/fleet/report-lines.ts', 'Cannot compare', STATE],
  ['src/fleet/merge.ts', 'Verify parts with', ANOTHER_JOB],
  ['src/fleet/merge.ts', 'it is not one of a report', STATE],
  ['src/fleet/merge.ts', 'Name a report as', ANOTHER_JOB],
  ['src/fleet/verify-options.ts', 'Use --format ndjson, and', 'the parts are merged when all jobs are done'],
  ['src/fleet/locked-bundles.ts', 'rlp lock add BUNDLE', 'a lock without agents: any bundle can be added'],
  ['src/io/reference.ts', 'Leave the "/" out', 'says what another command does with a prefix'],
  ['src/fleet/merge.ts', 'Merge the parts of one run', ANOTHER_JOB],
  ['src/fleet/merge.ts', 'Name the key that signed it', ANOTHER_JOB],
  ['src/fleet/verbs/merge.ts', 'Run the missing part again', ANOTHER_JOB],
  ['src/fleet/verify-options.ts', 'Cannot run', STATE],
  ['src/trust-policy/anchor-fields/identity.ts', 'of an identity', 'describes a member of a file'],
  ['src/trust-policy/revoked.ts', 'is no identity', STATE],
  ['src/wasm/stub.ts', 'This module does nothing', IN_A_FILE],
  ['src/lint/rules/files/left-out.ts', 'the folder {} holds cases', 'says what a folder is for'],
  [
    'src/lint/rules/files/required.ts',
    'Write a manifest',
    'a folder without a manifest is no agent, which lint says first',
  ],
  ['src/lint/rules/schema/open-object.ts', 'Write "additionalProperties"', OF_SEVERAL],
  ['src/pack/digest-agent.ts', 'Run rlp agent digest again', RACE],
  ['src/pack/pack.ts', 'If the change is meant', RACE],
  ['src/sandbox/kinds/bubblewrap.ts', 'Run rlp doctor', SANDBOX],
  [
    'src/install/render.ts',
    '  verify and load go on answering rolled_back',
    'the report in the same answer names the command with its version, which is run',
  ],
  ['src/sandbox/sandbox.ts', 'Programs are not held', SANDBOX],
  ['src/sandbox/reach.ts', 'rlp tool edit', SANDBOX],
  ['src/scaffold/verbs/scaffold.ts', 'Cannot run', STATE],
  ['src/scaffold/verbs/scaffold.ts', 'Write rlp agent scaffold <name>', 'says how the command is written'],
  ['src/scaffold/verbs/tool-edit.ts', 'Cannot run', STATE],
  ['src/scaffold/init-agent.ts', '# What rlp agent pack takes', IN_A_FILE],
  ['src/scaffold/scaffold.ts', '# {}', IN_A_FILE],
  ['src/sign/write-signature.ts', 'Look at what it is now', RACE],
  ['src/trust/edit.ts', '# Whose signatures count', IN_A_FILE],
  [
    'src/trust/new-signer.ts',
    'Name the signer',
    'needs the services of Sigstore: test/trust/keyless/proposals.test.ts',
  ],
  [
    'src/verify/judging.ts',
    'Keep one statement',
    'needs 65 statements of one signer: test/registry/attestations.test.ts',
  ],
  ['src/verify/freshness.ts', 'Versions before', STATE],
]

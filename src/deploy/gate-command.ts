// rlp gate: decisions for a program that asks, one line of JSON each.
import { defineCommand } from '../cli/command.ts'
import { REGISTRY_OPTIONS } from '../cli/registry-access.ts'
import { printable } from '../format/text/printable.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import { TRUST_OPTIONS, trustOf } from '../verify/judging-options.ts'
import { runGate } from './gate.ts'

export const command = defineCommand({
  name: 'gate',
  summary: 'tell another program whether a bundle may be used',
  options: { 'trust-policy': TRUST_OPTIONS['trust-policy'], ...REGISTRY_OPTIONS },
  examples: [
    [
      `echo '{"bundle":"dist/mailer-0.1.0.agent.bundle","expect":"mailer@^0.1"}' | rlp gate | jq -e .allow`,
      'one question, from a shell',
    ],
    ['rlp gate --trust-policy /etc/deploy/trust-policy.toml', 'what another program starts and asks'],
  ],
  notes:
    'A question is a line with "bundle" (a path or a reference) or "bytes" (base64), and may have "id", "expect" and "within_ms". Its answer is the next line: "allow" is true for the verdict trusted and for nothing else, and "sha256" names the bytes that were judged. Policies, marks and overrides are read for each question. docs/gate.md has every member.\n\nA line that is no question gets an answer with "allow": false, and the next one is read. Exit code 0: the questions ended, whatever the answers were. 3: an answer could not be written. 130: interrupted.',
  async run(args, io): Promise<ExitCode> {
    let exit: ExitCode = EXIT.ok
    await runGate({
      questions: io.stdin(),
      answer: line => io.stdout(line),
      unread: () => io.unread?.() ?? 0,
      isOver: () => io.isOver?.() ?? false,
      onDefect(error) {
        exit = EXIT.bug
        const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
        io.stderr(
          `rlp: Internal error, please report it\n${stack
            .split('\n')
            .map(line => printable(line))
            .join('\n')}\n`,
        )
      },
      cwd: io.cwd,
      signal: io.signal,
      trust: trustOf({ trustPolicy: args.trustPolicy, allowDev: false, attestations: undefined }, io),
    })
    return exit
  },
})

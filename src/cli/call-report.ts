// What came of a call → standard output, standard error and the exit code.
import type { CallRecord } from '../calling/context.ts'
import type { PreparedCall, RefusedCall } from '../calling/prepare.ts'
import type { Envelope } from '../contract/envelope.ts'
import { serialize } from '../contract/serialize.ts'
import type { GlobalArgs, Io } from './command.ts'
import { EXIT, type ExitCode } from './exit-code.ts'
import { failureText, remarksText, resultText } from './render/call.ts'
import { planLines } from './render/plan.ts'
import { note, report } from './render/report.ts'
import { printableJson } from './render/sanitize.ts'
import { createStyle, wantsColor } from './render/style.ts'

/** With `--json` the very envelope of the call, which names the tool and not the command. */
export function printEnvelope(envelope: Envelope, args: GlobalArgs, io: Io): ExitCode {
  if (args.json) io.stdout(`${printableJson(serialize(envelope))}\n`)
  else if (envelope.ok) {
    for (const warning of envelope.warnings ?? []) note(io, args, `warning: ${warning}`)
    io.stdout(resultText(envelope.result))
  } else io.stderr(failureText(envelope, stderrStyle(args, io)))
  return envelope.ok ? EXIT.ok : EXIT.bundle
}

export function printRecord({ envelope, remarks }: CallRecord, args: GlobalArgs, io: Io): ExitCode {
  const isSaid = !envelope.ok && remarks?.trim() === envelope.message.trim()
  if (remarks !== undefined && !isSaid && !args.json && !args.quiet)
    io.stderr(remarksText(remarks, stderrStyle(args, io)))
  const exit = printEnvelope(envelope, args, io)
  if (!envelope.ok && envelope['reason'] === 'nobody_to_ask')
    note(io, args, 'Run it on a terminal, where you are asked; --yes says yes beforehand')
  // A person stopped it: the tool is not at fault.
  const isDeclined = !envelope.ok && envelope['reason'] === 'declined'
  return io.signal.aborted || isDeclined ? EXIT.user : exit
}

/** A dry run: nothing has happened, and no secret was looked up. */
export function printPrepared(prepared: PreparedCall | RefusedCall, args: GlobalArgs, io: Io): ExitCode {
  if ('failure' in prepared) return printEnvelope(prepared.failure, args, io)
  const { tool, plan, input, warnings } = prepared
  const { requiresConfirmation } = tool
  report(io, args, {
    tool: 'tool.call',
    result: {
      dry_run: true,
      tool: tool.id,
      arguments: input,
      requires_confirmation: requiresConfirmation,
      plan: plan.detail,
    },
    warnings,
    text: () =>
      planLines(plan)
        .map(line => `${line}\n`)
        .join(''),
  })
  note(
    io,
    args,
    requiresConfirmation ? 'nothing was run; a person will be asked before it is' : 'nothing was run',
  )
  return EXIT.ok
}

function stderrStyle({ color }: GlobalArgs, io: Io) {
  return createStyle(wantsColor(color, io.env, io.isTTY.stderr))
}

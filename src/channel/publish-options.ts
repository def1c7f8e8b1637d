// What the commands share that publish a channel: the folder, durations, keys, and how they end.
import type { GlobalArgs, Io } from '../cli/command.ts'
import type { ListOption, Positional } from '../cli/option.ts'
import { reachIn } from '../cli/options.ts'
import { report } from '../cli/render/report.ts'
import { createStyle, SYMBOLS } from '../cli/render/style.ts'
import { runloopHome } from '../io/home.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import { printable } from '../text/printable.ts'
import type { ChannelResult } from './answers.ts'
import { type ChannelUse, refuseReference } from './open-channel.ts'

export const FOLDER = {
  name: 'folder',
  required: true,
  complete: 'dir',
  describe: 'the folder of the channel, in which its drafts are',
} as const satisfies Positional

/** @param what it is, for help; a key of the kind `command:` may hold a comma */
export function keysOption(describe: string) {
  return { type: 'strings', placeholder: 'KEY', commas: false, describe } as const satisfies ListOption
}

/** For commands that sign. The name of its option is `afterEnd` in the library. */
export const AFTER_END_OPTION = {
  type: 'integer',
  placeholder: 'RELEASE',
  min: 1,
  describe:
    'sign although the newest heartbeat has expired: RELEASE is the number of the newest release, as you know it',
} as const

/** How a job reaches folders and registries. */
export function usedBy(args: GlobalArgs, io: Io): ChannelUse {
  return { ...reachIn(io, args), home: runloopHome(), cwd: io.cwd }
}

/** The same for a folder alone. @throws UsageError for a reference */
export function folderUsed(folder: string, doing: string, args: GlobalArgs, io: Io): ChannelUse {
  refuseReference(folder, doing)
  return usedBy(args, io)
}

/** Where else a channel is; the argument has a name of its own in each command. */
export const PLACE = {
  required: true,
  complete: 'none',
  describe: 'oci://HOST/REPOSITORY or oci-layout:FOLDER, without a tag',
} as const satisfies Omit<Positional, 'name'>

/** What a command has done, and how the channel is then. */
interface PublishingReport {
  /** The last word of the command: `sign`. */
  readonly verb: string
  /** One line, without the mark in front. */
  readonly done: string
  readonly lines: readonly string[]
  readonly answer: ChannelResult
}

export function reportPublishing(
  { verb, done, lines, answer }: PublishingReport,
  args: GlobalArgs,
  io: Io,
): ExitCode {
  report(io, args, {
    tool: `channel.${verb}`,
    result: answer,
    warnings: answer.warnings,
    quiet: [],
    text: () => {
      const ok = createStyle(io.color).green(SYMBOLS.ok)
      return [`${ok} ${printable(done)}`, ...lines, ''].join('\n')
    },
  })
  return EXIT.ok
}

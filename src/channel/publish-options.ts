// What the commands share that publish a channel: the folder, durations, keys, and how they end.
import type { GlobalArgs, Io } from '../cli/command.ts'
import type { ListOption, Positional } from '../cli/option.ts'
import { accessIn } from '../cli/registry-access.ts'
import { report } from '../cli/render/report.ts'
import { createStyle, SYMBOLS } from '../cli/render/style.ts'
import { isOciReference } from '../format/oci/scheme.ts'
import { printable } from '../format/text/printable.ts'
import type { ChannelRoot, Release, SignedStatement } from '../model/channel.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import { noReference } from '../registry/no-reference.ts'
import { publishedFacts } from './channel-facts.ts'
import type { ChannelContents } from './contents.ts'
import { warningsAbout } from './for-hosts.ts'
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

/** How a job reaches folders and registries. */
export function usedBy(args: GlobalArgs, io: Io): ChannelUse {
  return { access: accessIn(io, args), signal: io.signal, cwd: io.cwd }
}

/** The same for a folder alone. @throws UsageError for a reference */
export function folderUsed(folder: string, doing: string, args: GlobalArgs, io: Io): ChannelUse {
  refuseReference(folder, doing)
  return usedBy(args, io)
}

/** @param field the argument. @throws UsageError for what is no reference */
export function refuseNoReference(text: string, doing: string, field: string): void {
  if (isOciReference(text)) return
  throw noReference(text, {
    message: `Cannot ${doing} "${text}": it is no reference`,
    field,
    hint: 'Write oci://HOST[:PORT]/REPOSITORY or oci-layout:FOLDER',
  })
}

/** Where else a channel is; the argument has a name of its own in each command. */
export const PLACE = {
  required: true,
  complete: 'none',
  describe: 'oci://HOST/REPOSITORY or oci-layout:FOLDER, without a tag',
} as const satisfies Omit<Positional, 'name'>

/** What a command has done, and how the channel is then. */
export interface PublishingReport {
  /** The last word of the command: `sign`. */
  readonly verb: string
  /** One line, without the mark in front. */
  readonly done: string
  readonly lines: readonly string[]
  readonly contents: ChannelContents
  readonly now: Date
  readonly facts?: object
  readonly warnings?: readonly string[]
}

export function reportPublishing(
  { verb, done, lines, contents, now, facts, warnings = [] }: PublishingReport,
  args: GlobalArgs,
  io: Io,
): ExitCode {
  report(io, args, {
    tool: `channel.${verb}`,
    result: { ...publishedFacts(contents, now), ...facts },
    warnings: [...warnings, ...warningsAbout(contents, now)],
    text: () => {
      const ok = createStyle(io.color).green(SYMBOLS.ok)
      return [`${ok} ${printable(done)}`, ...lines, ''].join('\n')
    },
  })
  return EXIT.ok
}

/** What a new draft has taken the place of. */
export function replacedWarning({ statement, signatures }: SignedStatement<ChannelRoot | Release>): string {
  const { length } = signatures
  const signed = length === 0 ? '' : `, with ${length} ${length === 1 ? 'signature' : 'signatures'}`
  return `another draft of ${statement.kind} ${statement.version} was there and is gone${signed}`
}

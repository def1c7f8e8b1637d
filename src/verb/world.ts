// What a verb knows beside its inputs. The command line makes one, and so does the library.
import type { GlobalArgs, Io } from '../cli/command.ts'
import type { OpenPrompter } from '../cli/interactive.ts'
import type { Setting } from '../io/setting.ts'

export interface World extends Setting {
  /** `$RUNLOOP_HOME` or `~/.runloop` of the user who calls. */
  home(): Promise<string>
  /** The name of an input as the caller writes it, for messages: `--if-trusted` or `ifTrusted`. */
  spelt(name: string): string
  /** Says a line beside the result: a note on standard error. A program is told nothing. */
  tell(line: string): void
  /** The terminal of a command, for questions. A program has none. */
  readonly terminal?: { readonly args: GlobalArgs; readonly io: Io; readonly open: OpenPrompter } | undefined
  /** Where a name is that was not found, and what to type. */
  elsewhere?(message: string): Promise<string | undefined>
}

// The registry of sources of secrets: one file and one line each. The operator chooses a source, never a bundle.
import type { Running } from '../../io/process/running.ts'
import type { SecretSource } from '../../model/secret.ts'
import { commandSecrets, passSecrets } from './command.ts'
import { environmentSecrets } from './environment.ts'
import { folderSecrets } from './folder.ts'

/** The context of a source. */
interface SecretContext {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly running: Running
  /** The operator's path → an absolute one. */
  path(written: string): string
  /** The words of a command line, or why it cannot be split. */
  words(line: string): readonly string[]
}

interface SourceKind {
  readonly name: string
  /** The name of the part after the colon in help; absent if there is none. */
  readonly takes?: string
  /** True if variables that need a grant come from this source too. */
  readonly isEnvironment?: true
  open(rest: string, context: SecretContext): SecretSource
}

export const SECRET_SOURCES: readonly SourceKind[] = [
  { name: 'env', isEnvironment: true, open: (_, { env }) => environmentSecrets(env) },
  { name: 'dir', takes: 'PATH', open: (path, context) => folderSecrets(context.path(path)) },
  { name: 'pass', open: (_, context) => passSecrets(context) },
  {
    name: 'cmd',
    takes: 'COMMAND',
    open: (line, context) => {
      const [command = '', ...args] = context.words(line)
      return commandSecrets({ ...context, command, args })
    },
  },
]

// The name of a new agent, from a person: what else is asked, and where it is written, depends on it.
import { usageLine } from '../cli/parse.ts'
import type { Prompter } from '../cli/wizard/question.ts'
import { RlpError, UsageError } from '../model/error.ts'
import { SCAFFOLD_NAME } from './agent-options.ts'
import { refuseBadName } from './scaffold.ts'

/** @param open a prompter under a title */
export async function askName(
  open: (title: string, doing: string) => Promise<Prompter>,
): Promise<{ name: string; prompter: Prompter }> {
  const prompter = await open('A new agent', 'scaffold an agent')
  const name = await prompter.text({
    message: 'Name (lowercase letters, digits and underscores)',
    fallback: undefined,
    example: 'mailer',
    check: typed => problemOf(typed.trim()),
  })
  return { name: name.trim(), prompter }
}

function problemOf(name: string): string | undefined {
  try {
    refuseBadName(name)
    return undefined
  } catch (error) {
    if (error instanceof RlpError) return `${error.message}. ${error.hint}`
    throw error
  }
}

/** Without a person. */
export function nameMissing(): UsageError {
  const usage = usageLine({ name: 'agent scaffold', positionals: [{ ...SCAFFOLD_NAME, required: true }] })
  return new UsageError('Cannot run "rlp agent scaffold": <name> is missing, and no person can be asked', {
    field: 'name',
    expected: SCAFFOLD_NAME.describe,
    hint: `Write ${usage}`,
  })
}

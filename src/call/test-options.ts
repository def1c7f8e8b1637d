// The options of `rlp agent test`, and what of them does not go together.
import type { CommandArgs } from '../cli/command.ts'
import { formatGiven } from '../cli/format-given.ts'
import type { OptionTable } from '../cli/option.ts'
import { AGENT_OPTIONS, type AGENT_PATHS } from '../cli/targets.ts'
import { UsageError } from '../model/error.ts'
import { CASE_FORMATS } from './formats/index.ts'
import { CALL_OPTIONS } from './options.ts'

export const TEST_OPTIONS = {
  ...AGENT_OPTIONS,
  format: {
    type: 'string',
    placeholder: 'FORMAT',
    choices: CASE_FORMATS.map(({ name }) => name),
    describe: 'how to report; json is the same as --json',
  },
  record: {
    type: 'string',
    placeholder: 'ID|@FILE',
    describe: 'add a case: call this tool now, or take the calls of a trace',
  },
  args: {
    type: 'string',
    placeholder: 'JSON|@FILE|-',
    describe: 'the arguments of the call that --record makes; {} if left out',
  },
  name: { type: 'string', placeholder: 'TEXT', describe: 'what the new case is called' },
  ...CALL_OPTIONS,
} as const satisfies OptionTable

export type TestArgs = CommandArgs<typeof TEST_OPTIONS, readonly [typeof AGENT_PATHS]>

export function reportFormat({ format, json, record }: TestArgs): string {
  if (record !== undefined && format !== undefined)
    throw new UsageError('Cannot use --format with --record: no case is run', { field: 'format' })
  return formatGiven({ format, json })
}

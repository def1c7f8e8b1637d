// The option --table of lists. A table is what they print anyway; scripts for the existing runtime, whose list is JSON in a pipe, name it.
import { UsageError } from '../../model/error.ts'
import type { GlobalArgs } from '../command.ts'

export const TABLE_OPTION = {
  type: 'boolean',
  describe: 'print a table (the default, also without a terminal)',
} as const

type Listed = Pick<GlobalArgs, 'json'> & { readonly table: boolean }

/** @throws UsageError for both at once */
export function refuseTableAsJson({ json, table }: Listed): void {
  if (json && table)
    throw new UsageError('Cannot use --table with --json', {
      field: 'table',
      hint: 'Leave one of them out',
    })
}

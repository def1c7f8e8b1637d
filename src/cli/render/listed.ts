// How a list is printed: a table on a terminal and JSON in a pipe, as with the existing runtime's list.
import { UsageError } from '../../model/usage-error.ts'
import type { GlobalArgs, Io } from '../command.ts'

export const TABLE_OPTION = {
  type: 'boolean',
  describe: 'a table, also where standard output is no terminal',
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

/** The arguments with the form that is meant. */
export function asListed<A extends Listed>(args: A, io: Pick<Io, 'isTTY'>): A {
  return { ...args, json: args.json || (!args.table && !io.isTTY.stdout) }
}

// --format and --json of a command → how it reports.
import { UsageError } from '../model/error.ts'

/** @throws UsageError if they do not agree */
export function formatGiven<F extends string>(
  { format, json }: { readonly format: F | undefined; readonly json: boolean },
  otherwise: F | 'text' = 'text',
): F | 'json' | 'text' {
  if (json && format !== undefined && format !== 'json')
    throw new UsageError(`Cannot use --format ${format} with --json: both say how to report`, {
      field: 'format',
      hint: 'Leave one of them out',
    })
  return format ?? (json ? 'json' : otherwise)
}

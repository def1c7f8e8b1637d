// Why one of the attached manifests cannot be read. It may be the one that matters; the others are read all the same.
import { RlpError } from '../model/error.ts'

/** @throws the error again, if it is about the whole call */
export function whyUnread(error: unknown): string {
  if (!(error instanceof RlpError) || error.code === 'CANCELLED') throw error
  return error.message
}

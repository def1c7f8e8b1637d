// A schema → whether everything fits it.
import { isSilent } from '../../schema/keywords.ts'
import { isSchemaObject } from '../../schema/walk.ts'

export function isEmpty(schema: unknown): boolean {
  return schema === true || (isSchemaObject(schema) && Object.keys(schema).every(isSilent))
}

// fixtures/evidence/schemas: what the texts of DSSE, in-toto and SLSA demand of a statement. What is wrong with one is listed.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { againstCycloneDx } from './cyclonedx.ts'
import { ROOT } from './lint-fixtures.ts'

const ajv = new Ajv2020({ allErrors: true, strict: false })

function formOf(name: string): (value: unknown) => string[] {
  const schema = JSON.parse(
    readFileSync(join(ROOT, 'fixtures/evidence/schemas', `${name}.schema.json`), 'utf8'),
  )
  const validate = ajv.compile(schema)
  return value => {
    validate(value)
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
  }
}

export const againstEnvelope = formOf('envelope')
export const againstStatement = formOf('statement')

/** By type of the predicate. */
export const AGAINST_PREDICATE: Readonly<Record<string, (predicate: unknown) => string[]>> = {
  'https://cyclonedx.org/bom': againstCycloneDx,
  'https://slsa.dev/provenance/v1': formOf('provenance'),
  'https://slsa.dev/verification_summary/v1': formOf('verification-summary'),
}

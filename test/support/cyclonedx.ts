// The published schema of CycloneDX 1.7, compiled; undefined members and wrong forms of a bill are listed.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Ajv } from 'ajv'

const SCHEMAS = join(
  dirname(import.meta.dirname),
  '..',
  'node_modules/@cyclonedx/cyclonedx-library/res/schema',
)
const read = (name: string) => JSON.parse(readFileSync(join(SCHEMAS, `${name}.SNAPSHOT.schema.json`), 'utf8'))

const ajv = new Ajv({ strict: false, logger: false, allErrors: true })
// What RFC 3987 allows, as far as ASCII goes.
ajv.addFormat('iri-reference', /^(?:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*$/)
ajv.addFormat('date-time', /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:Z|[+-]\d{2}:\d{2})$/)
ajv.addFormat('idn-email', true)
ajv.addFormat('email', true)
for (const name of ['spdx', 'jsf-0.82', 'cryptography-defs'])
  ajv.addSchema(read(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`)
const validate = ajv.compile(read('bom-1.7'))

/** What the schema has against a bill; empty if nothing. */
export function againstCycloneDx(bom: unknown): string[] {
  validate(bom)
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

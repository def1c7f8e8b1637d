// The services of Sigstore as a process of their own, for transcripts, which wait for what they call: `node --import tsx test/support/sigstore-process.ts FOLDER` writes
// there what a host and a pipeline need, and serves until it is ended.
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startSigstore } from './sigstore-services.ts'

const [folder = ''] = process.argv.slice(2)
const services = await startSigstore()
const put = (name: string, content: string) => writeFileSync(join(folder, name), content)

put('sigstore-root.json', JSON.stringify(services.root))
put('signing-config.json', JSON.stringify(services.signingConfig(1)))
put('token', services.token())
// Names were given up, and registered again by other people: all is called the same, and the ids are others.
put('other-token', services.token({ repository_id: '987654321', repository_owner_id: '43' }))
// Last, and whole at once: who waits for it finds all the others.
put('.ready', '')
renameSync(join(folder, '.ready'), join(folder, 'ready'))

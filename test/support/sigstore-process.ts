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
const fork = 'mallory/agents/.github/workflows/release.yml@refs/tags/v1.0.0'
put(
  'fork-token',
  services.token({
    iss: 'https://token.actions.githubusercontent.com',
    ...{ sub: 'repo:mallory/agents:ref:refs/tags/v1.0.0', event_name: 'push', ref: 'refs/tags/v1.0.0' },
    ...{ repository: 'mallory/agents', repository_id: '987654321', repository_owner: 'mallory' },
    ...{ repository_owner_id: '43', runner_environment: 'github-hosted', sha: 'a'.repeat(40) },
    ...{ workflow_ref: fork, job_workflow_ref: fork, job_workflow_sha: 'a'.repeat(40) },
  }),
)
// Last, and whole at once: who waits for it finds all the others.
put('.ready', '')
renameSync(join(folder, '.ready'), join(folder, 'ready'))

// Whether a sandbox works here: tests of it are left out where user namespaces are forbidden, and fail where RLP_NEEDS says that they are needed.
import { trySandboxes } from '../../src/sandbox/sandbox.ts'
import { isNeeded } from './needs.ts'

/** Why there is none; false where tests run. */
export const NO_SANDBOX_HERE: string | false = isNeeded('sandbox') ? false : await problem()

async function problem(): Promise<string | false> {
  const host = { env: process.env, signal: AbortSignal.timeout(30_000), cwd: '/', told: [], user: undefined }
  const { working, problems } = await trySandboxes(host)
  return (
    working.name === 'none' && `no sandbox works here: ${problems.map(({ problem }) => problem).join('; ')}`
  )
}

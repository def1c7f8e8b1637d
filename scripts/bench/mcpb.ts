// The nearest relative, `mcpb` of @anthropic-ai/mcpb: what it packs, and a signed file of its own.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { CannotRun, run, versionOf } from './process.ts'

const PACKAGE = resolve('node_modules/@anthropic-ai/mcpb')
export const MCPB = join(PACKAGE, 'dist/cli/cli.js')

/** Undefined where the development dependency is not installed. */
export function mcpbVersion(): string | undefined {
  if (!existsSync(MCPB)) return undefined
  return (JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as { version: string }).version
}

/** What `mcpb pack` needs to find in a folder. */
export function writeMcpbManifest(folder: string, name: string, entry: string): void {
  const manifest = {
    manifest_version: '0.2',
    name,
    version: '1.0.0',
    description: 'For the bench',
    author: { name: 'bench' },
    server: { type: 'binary', entry_point: entry, mcp_config: { command: entry } },
  }
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest))
}

/** 0 for a signature that it can verify, 1 for one that it cannot. */
export const MCPB_VERIFY_EXITS: readonly number[] = [0, 1]

/** A small file that is signed, with a certificate of its own; undefined without the program that makes certificates. */
export async function signedMcpb(folder: string): Promise<string | undefined> {
  if ((await versionOf('openssl', 'version')) === undefined) return undefined
  const [source, file] = [join(folder, 'mcpb'), join(folder, 'mini.mcpb')]
  mkdirSync(join(source, 'bin'), { recursive: true })
  writeFileSync(join(source, 'bin/mini.wasm'), 'For the bench')
  writeMcpbManifest(source, 'mini', 'bin/mini.wasm')
  const mcpb = (...args: string[]) => run(process.execPath, [MCPB, ...args], { exits: MCPB_VERIFY_EXITS })
  await mcpb('pack', source, file)
  // As `mcpb sign --self-signed` does, which would leave its key among the installed packages.
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  const request = ['-newkey', 'rsa:4096', '-nodes', '-days', '2', '-subj', '/CN=bench']
  await run('openssl', ['req', '-x509', ...request, '-keyout', key, '-out', certificate])
  await mcpb('sign', '--cert', certificate, '--key', key, file)
  const said = await mcpb('verify', file)
  // It says the second of every signed file, as long as node-forge cannot verify what it can sign.
  if (!/Signature is valid|Extension is not signed/.test(said)) throw new CannotRun(`mcpb verify: ${said}`)
  return file
}

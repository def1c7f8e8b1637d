import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { transform } from 'esbuild'
import { META_PARTS, metaSchema } from './meta-schema.ts'
const require = createRequire(import.meta.url)
const { Ajv2020 } = await import('ajv/dist/2020.js')
const { default: sc } = await import('ajv/dist/standalone/index.js')
const URN='urn:runloop:agent-bundle:schema:'
const V={manifest:`${URN}manifest`,lint:`${URN}manifest#/$defs/lint`,policy:`${URN}policy`,toolsV1:`${URN}tools.v1`,tool:`${URN}tools.v1#/$defs/tool`,metaSchema:`${URN}meta`}
function wp(this:any,k:string,v:any){return k==='description'&&typeof this.title==='string'?undefined:v}

for (const allErrors of [true,false]) { const ajv=new Ajv2020({strict:true,allowUnionTypes:true,allowMatchingProperties:true,allErrors,verbose:true,messages:false,code:{source:true,esm:true,lines:true}} as any)
 for(const n of ['manifest','policy','tools.v1']) ajv.addSchema(JSON.parse(readFileSync(`schemas/${n}.schema.json`,'utf8'),wp))
 ajv.addSchema(metaSchema(`${URN}meta`,p=>JSON.parse(readFileSync(require.resolve(`ajv/dist/refs/json-schema-2020-12/${p}.json`),'utf8'))))
 for (const [k,v] of Object.entries(V)) { const code=sc.default(ajv,{[k]:v}); const min=(await transform(code,{minify:true,format:'esm'})).code
  const schemas=[...code.matchAll(/^const schema\d+ = .*$/gm)].reduce((a,m)=>a+m[0].length,0)
  console.log(allErrors,k,min.length,'schema literals',schemas, 'functions',[...code.matchAll(/^function validate/gm)].length, 'pattern/func', [...code.matchAll(/^const func.*$/gm)].map(m=>m[0].slice(0,80))) } }

// Runs before `npm pack`: builds the npm package, which contains the command line only. (`npm run package` builds the
// extension.)
//   node scripts/prepack.mjs
import { writeFileSync } from "node:fs";
import path from "node:path";
import { prepare } from "./package.mjs";
import { fail, root } from "./project.mjs";

await prepare().catch(error => fail(error.message));
// "files" in package.json applies to both packages, and vsce supports no exceptions there. npm reads exceptions from
// the folder itself.
writeFileSync(path.join(root, "dist/.npmignore"), "extension.js\nwebview.js\nsettings.js\n");

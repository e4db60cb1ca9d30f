/** State that VS Code has stored in the browser. A window that is reloaded before loses its last changes. */
import type { Page } from "playwright-core";

/** The stored values of this key, one for each database. */
export function browserState(page: Page, key: string): Promise<readonly string[]> {
  return page.evaluate(valuesOf, key);
}

/** Runs in the page. */
async function valuesOf(key: string): Promise<readonly string[]> {
  const settled = <T>(request: IDBRequest<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error ?? new Error("The database does not answer."));
    });
  const found: string[] = [];
  for (const { name } of await indexedDB.databases()) {
    if (!name?.startsWith("vscode-web-state-db-")) continue;
    const database = await settled(indexedDB.open(name));
    try {
      for (const store of database.objectStoreNames) {
        const value: unknown = await settled(database.transaction(store).objectStore(store).get(key));
        if (typeof value === "string") found.push(value);
      }
    } finally {
      database.close();
    }
  }
  return found;
}

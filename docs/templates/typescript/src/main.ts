#!/usr/bin/env node
/** The proxy as a program. stdout is the protocol: write logs to stderr. */
import { Readable, Writable } from "node:stream";
import { ndJsonStream } from "@agentclientprotocol/sdk";
import { serveProxy } from "./proxy.js";
import { readSettings } from "./settings.js";
import { ToolServer } from "./tools.js";

const stream = ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)),
  settings = readSettings(process.env.SYMPOSIUM_EXTENSION_SETTINGS);
await serveProxy(stream, new ToolServer(settings));

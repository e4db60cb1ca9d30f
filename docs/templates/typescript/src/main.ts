#!/usr/bin/env node
/** The proxy as a program. stdout is the protocol: write logs to stderr. */
import { Readable, Writable } from "node:stream";
import { ndJsonStream } from "@agentclientprotocol/sdk";
import { serveProxy } from "./proxy.js";
import { ToolServer } from "./tools.js";

await serveProxy(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)), new ToolServer());

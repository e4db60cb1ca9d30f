/**
 * Types of the objects that Symposium sends, from the published schemas. The compiler checks each object where it is
 * built. Received objects are untrusted: `adapt/` reads them as `unknown`. Imports nothing at run time.
 */
import type * as v1 from "@agentclientprotocol/sdk/unstable";
import type * as v2 from "@agentclientprotocol/sdk/experimental/v2/unstable";

/** Content of a prompt. The kinds that Symposium sends are the same in both versions. */
export type ContentBlock = v1.ContentBlock;
export type TextBlock = Extract<ContentBlock, { readonly type: "text" }>;
export type ClientCapabilities = v1.ClientCapabilities;
export type PromptRequest = v1.PromptRequest & v2.PromptRequest;
export type ListSessionsRequest = v1.ListSessionsRequest & v2.ListSessionsRequest;
export type PermissionResponse = v1.RequestPermissionResponse & v2.RequestPermissionResponse;
export type ElicitationResponse = v1.CreateElicitationResponse & v2.CreateElicitationResponse;
export type SignInRequest = v1.AuthenticateRequest & v2.LoginAuthRequest;

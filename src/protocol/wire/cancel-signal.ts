/** The cancellation of a request between two programs, as an `AbortSignal` without DOM and Node.js types. Pure. */

/** The part of an `AbortSignal` that handlers use. */
export interface CancelSignal {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void): void;
}

/** The part of the cancellation token of vscode-jsonrpc that a signal needs. */
interface Token {
  readonly isCancellationRequested: boolean;
  onCancellationRequested(listener: () => void): unknown;
}

/** The signal of a notification. */
export const NEVER_CANCELLED: CancelSignal = { aborted: false, addEventListener: () => undefined };

export function cancelSignalOf(token: Token): CancelSignal {
  return {
    get aborted() {
      return token.isCancellationRequested;
    },
    addEventListener: (_, listener) => {
      token.onCancellationRequested(() => listener());
    },
  };
}

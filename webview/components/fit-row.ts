/** Applies the smallest number of steps with which the content of the row fits into its width. */
export function fitRow(row: HTMLElement, maxSteps: number, apply: (steps: number) => void): void {
  for (let steps = 0; steps <= maxSteps; steps++) {
    apply(steps);
    if (row.scrollWidth <= row.clientWidth) return;
  }
}

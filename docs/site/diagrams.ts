/**
 * Draws the state diagrams of a page. In Markdown they are Mermaid's `stateDiagram-v2`, which many viewers of Markdown draw; the site draws
 * them while it is built, so that a reader loads no drawing library.
 */
import { instance, type Viz } from '@viz-js/viz';

const BLOCK = /```mermaid\nstateDiagram-v2\n([\s\S]*?)```/g;
const TRANSITION = /^\s*(\[\*\]|\w+)\s*-->\s*(\[\*\]|\w+)\s*(?::\s*(.+?))?\s*$/;

export async function openDiagrams(): Promise<{ drawAll(markdown: string): string }> {
  const viz = await instance();
  return { drawAll: (markdown) => markdown.replace(BLOCK, (_block, lines: string) => draw(viz, lines)) };
}

/** Throws for a line that is not a transition. */
function draw(viz: Viz, lines: string): string {
  const edges = lines.split('\n').filter((line) => line.trim() !== '' && !line.trim().startsWith('direction'));
  const dot = edges.map((line) => {
    const [, from = '', to = '', label = ''] = TRANSITION.exec(line) ?? [];
    if (from === '') throw new TypeError(`This line of a state diagram is not a transition: ${line}`);
    const [tail, head] = [from === '[*]' ? 'begin' : from, to === '[*]' ? 'end' : to];
    return `"${tail}" -> "${head}" [label=" ${label.replaceAll('"', '\\"')} "]`;
  });
  const ends = [
    edges.some((line) => /^\s*\[\*\]/.test(line)) ? 'begin [shape=circle style=filled label="" width=0.15]' : '',
    edges.some((line) => /-->\s*\[\*\]/.test(line)) ? 'end [shape=doublecircle style=filled label="" width=0.12]' : '',
  ];
  const graph = `digraph { rankdir=TB bgcolor=none
    node [shape=box style=rounded fontname="inherit" fontsize=13]
    edge [fontname="inherit" fontsize=11]
    ${[...ends, ...dot].join('\n')} }`;
  const svg = viz.renderString(graph, { format: 'svg' });
  return `<div class="diagram">\n${svg
    .slice(svg.indexOf('<svg'))
    .replaceAll(/\n\s*/g, ' ')
    .replaceAll(/<!--.*?-->/g, '')}\n</div>`;
}

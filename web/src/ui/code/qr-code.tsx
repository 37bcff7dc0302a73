/** A text as a code to scan. Weighs what its library weighs: let it be loaded with what shows it. */
import { encode } from 'uqr';
import styles from './qr-code.module.css';

/**
 * With the light border that readers ask for, and no more squares than a screen needs, which nobody folds or soils.
 * `label`: what it is, for those who do not see it. Attributes of `data-` go onto the drawing.
 */
export function QrCode({ text, label, ...data }: { text: string; label: string }) {
  const { data: rows, size } = encode(text, { ecc: 'L', border: 4 });
  const path = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');
  return (
    <svg
      {...data}
      className={styles.code}
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <path d={path} />
    </svg>
  );
}

/** A text as a code to scan. Weighs what its library weighs: let it be loaded with what shows it. */
import { drawCode, type Robustness } from './draw-code.ts';
import styles from './qr-code.module.css';

type QrCodeProps = {
  text: string;
  /** What it is, for those who do not see it. */
  label: string;
  /** Defaults to the level for screens, which need little error correction. */
  robustness?: Robustness;
};

/** Attributes of `data-` go onto the drawing. */
export function QrCode({ text, label, robustness = 'L', ...data }: QrCodeProps) {
  const { size, path } = drawCode(text, robustness);
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

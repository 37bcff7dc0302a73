/** A text as a QR code. It includes a large library, so load it together with the component that shows it. */
import { drawCode, type Robustness } from './draw-code.ts';
import styles from './qr-code.module.css';

type QrCodeProps = {
  text: string;
  /** A description for screen readers. */
  label: string;
  /** Defaults to the level for screens, which need little error correction. */
  robustness?: Robustness;
};

/** Attributes that start with `data-` are set on the drawing. */
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

/** The mark of a token or a network. Its name is always shown next to it, so it is hidden from screen readers. */

import { type Drawing, networkDrawing, tokenDrawings } from './mark-drawings.ts';
import styles from './ways.module.css';

export function TokenMark({ symbol }: { symbol: string }) {
  return <Mark drawing={tokenDrawings[symbol]} name={symbol} size={32} />;
}

export function NetworkMark({ chainId, name }: { chainId: number; name: string }) {
  return <Mark drawing={networkDrawing(chainId)} name={name} size={18} />;
}

function Mark({ drawing, name, size }: { drawing: Drawing | undefined; name: string; size: number }) {
  return (
    <svg viewBox="0 0 24 24" width={size} height={size} className={styles.mark} aria-hidden="true" focusable="false">
      <circle cx="12" cy="12" r="12" className={drawing ? undefined : styles.plain} fill={drawing?.ground} />
      {drawing?.fill && <path d={drawing.fill} fill="#fff" />}
      {drawing?.line && (
        <path
          d={drawing.line}
          fill="none"
          stroke="#fff"
          strokeWidth="1.6"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      )}
      {!drawing && (
        <text x="12" y="16.2" textAnchor="middle" fontSize="12" fontWeight="600" className={styles.letter}>
          {name.slice(0, 1).toUpperCase()}
        </text>
      )}
    </svg>
  );
}

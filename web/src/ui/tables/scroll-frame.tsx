/**
 * The frame of a table. While the table is wider, the frame takes the focus, so that the keyboard can scroll it. It is a group rather
 * than a region, because the panel around it may be a region with the same name.
 */
import { type ReactNode, useEffect, useRef, useState } from 'react';
import styles from './table.module.css';

export function ScrollFrame({ label, children }: { label: string; children: ReactNode }) {
  const frame = useRef<HTMLDivElement>(null);
  const [isScrollable, setScrollable] = useState(false);
  useEffect(() => {
    const { current } = frame;
    if (!current) return;
    const observer = new ResizeObserver(() => setScrollable(current.scrollWidth > current.clientWidth));
    for (const element of [current, ...current.children]) observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return (
    <div
      ref={frame}
      className={styles.frame}
      {...(isScrollable ? { tabIndex: 0, role: 'group', 'aria-label': label } : {})}
    >
      {children}
    </div>
  );
}

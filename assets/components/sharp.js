/* Pictures that the screen gives more pixels than they were sent with are fetched at full size, once
 * nothing moves: on a fine screen a tile of 160 CSS pixels has 320.
 */

export const SHARP_MS = 700

/** Whether a picture has fewer pixels than it is shown with; one of few pixels is drawn as blocks. */
export function isCoarse(img) {
  const { naturalWidth, naturalHeight, clientWidth } = img
  return Math.max(naturalWidth, naturalHeight) * 1.05 < clientWidth * devicePixelRatio && !img.classList.contains("tiny")
}

/** Puts the picture at `address` into `img` where that one is coarse and, once it is here, `isStill()`. */
export function sharpen(img, address, isStill) {
  if (!address || img.dataset.large === address || !isCoarse(img)) return
  const full = new Image()
  full.onload = () => {
    if (!isStill()) return
    img.dataset.large = address
    img.src = address
  }
  full.src = address
}

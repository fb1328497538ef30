/**
 * The sealed index: read-optimised tables in the file of a segment that rarely changes.
 *
 * Doc numbers count from 0, the newest post; 65,536 of them are a chunk. A posting list has one container per chunk, as in
 * Roaring bitmaps: below 4,096 posts a sorted list of 16-bit numbers, else a bitmap of 8 KiB. Little endian, used in place.
 *
 * - `sealed`: one row if sealed. `heads`: the first ID of each page of `sealed_ids`; `page_sums`: the CRC-32 of each;
 *   `first`: the first term of the dictionary.
 * - `sealed_ids`: 510 IDs per page, 64 bits each, newest first.
 * - `sealed_terms`: the dictionary, blocks of terms ascending by UTF-8 bytes, each keyed by its first term. A term that is
 *   too long for a block has its own. An entry is:
 *   varint (bytes shared with the block's previous term), varint (2 × bytes that follow, plus 1 for a single post), those
 *   bytes, varint (posts) if several; then
 *   - up to 64 posts: their doc numbers, ascending, as varint deltas; then, if the term has positions, those of each post:
 *     varint (2 × delta, plus 1 if another follows);
 *   - more posts: varint (first row in `sealed_docs`), then for each chunk varint (posts in it).
 * - `sealed_docs`: containers, each padded to four bytes. A term of up to 4,000 posts has them in one row, a larger one has
 *   a row per chunk: its first row plus the chunk's number.
 * - `sealed_positions`: the same row numbers: one byte per post, its position, in the order of the containers. 255 means
 *   several positions or one above 254, which are in an overflow table before the bytes: u32 m, u32 p, then ranks[m] (index
 *   of the byte), starts[m] (start in the list) and list[p], ascending within a post, the highest bit set in its last.
 *   Items have 16 bits, or 32 if the highest bit of m is set; the table is padded to four bytes, and omitted if empty.
 * - `sealed_mask`: the deletion bitmap, one row per chunk. `replaced`: posts deleted or rewritten after sealing (FTS5 finds
 *   those that still exist); `hidden`: posts not to be found. Both are 8 KiB, or both empty.
 *
 * `sum` is a checksum (`sums.ts`) of a row and its key. Missing rows are detected, too: the head has the number of ID pages
 * and chunks, a block's checksum includes the first term of the next, and the dictionary names the rows of postings. Format
 * 1 has no checksums, and mask rows only for chunks with deletions; it stays readable, and is rebuilt.
 *
 * Varints are little endian, seven bits a byte, the highest bit set in all but the last, and below 2 ** 35. Positions are
 * below 2 ** 31. Padding is zeros; no bitmap has a bit beyond the last post.
 */
export const sealedFormat = 2;
export const unsummedFormat = 1;
/** Marks a damaged index that is no longer maintained. */
export const spoiledFormat = 0;

export const postsOfChunk = 65_536;
export const densePosts = 4_096;
export const wordsOfBitmap = postsOfChunk / 32;
export const bytesOfBitmap = postsOfChunk / 8;
/** Up to this many posts are stored in the dictionary. */
export const inlinePosts = 64;
/** Up to this many posts fit into one row and a page of the table. */
export const oneRowPosts = 4_000;
/** Two fit into a page of the table. */
export const idsOfPage = 510;
/** With its first term: four fit into a page of the table. */
export const bytesOfBlock = 2_014;

export const sealedMigrations = [
  `
  CREATE TABLE sealed(format INTEGER NOT NULL, posts INTEGER NOT NULL, sealed_ms INTEGER NOT NULL, heads BLOB NOT NULL);
  CREATE TABLE sealed_ids(page INTEGER PRIMARY KEY, ids BLOB NOT NULL);
  CREATE TABLE sealed_terms(first TEXT PRIMARY KEY, block BLOB NOT NULL) WITHOUT ROWID;
  CREATE TABLE sealed_docs(row INTEGER PRIMARY KEY, docs BLOB NOT NULL);
  CREATE TABLE sealed_positions(row INTEGER PRIMARY KEY, positions BLOB NOT NULL);
  CREATE TABLE sealed_mask(chunk INTEGER PRIMARY KEY, replaced BLOB NOT NULL, hidden BLOB NOT NULL);
`,
  `
  ALTER TABLE sealed ADD COLUMN page_sums BLOB;
  ALTER TABLE sealed ADD COLUMN first BLOB;
  ALTER TABLE sealed ADD COLUMN sum INTEGER;
  ALTER TABLE sealed_terms ADD COLUMN sum INTEGER;
  ALTER TABLE sealed_docs ADD COLUMN sum INTEGER;
  ALTER TABLE sealed_positions ADD COLUMN sum INTEGER;
  ALTER TABLE sealed_mask ADD COLUMN sum INTEGER;
`,
] as const;

export const bytesOfContainer = (posts: number): number =>
  posts >= densePosts ? bytesOfBitmap : ((posts + 1) >> 1) * 4;

export const chunksOf = (posts: number): number => Math.ceil(posts / postsOfChunk);

export const postsIn = (chunk: number, posts: number): number =>
  Math.min(postsOfChunk, posts - chunk * postsOfChunk);

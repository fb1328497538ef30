/**
 * The sealed index: what a segment that hardly changes any more is found by, in tables of its file.
 *
 * Posts are numbered newest first, 0, 1, 2 …, and 65,536 numbers are a chunk. What a term is held by is one container for each
 * chunk: a sorted list of 16-bit numbers below 4,096 posts, else a bitmap of 8 KiB (the containers of Roaring bitmaps), in the
 * byte order of the machine that every supported platform has (little endian), so that it is used where it lies.
 *
 * - `sealed`: one row in a sealed segment, none in another. `heads` is the first ID of every page of `sealed_ids`, `page_sums` the
 *   CRC-32 of each, `first` the first term of the dictionary.
 * - `sealed_ids`: 510 IDs a page, 64 bits each, newest first.
 * - `sealed_terms`: the dictionary, blocks of terms in the order of their UTF-8 bytes, each under its first term; one that is too
 *   long for a block has one of its own. An entry is:
 *   varint (bytes shared with the term before it in the block, 0 for the first), varint (bytes that follow, times two, plus one
 *   where the term has a single post), those bytes, varint (posts) where there are several; then
 *   - up to 64 posts: their numbers, ascending, as varints: the first itself, the others as the distance to the one before;
 *     then, where the term holds positions, those of each post in the same order: varint (distance to the position before, the
 *     first itself, times two, plus one where another follows);
 *   - more: varint (first row in `sealed_docs`), then for each chunk varint (posts in it).
 * - `sealed_docs`: containers. A term of up to 4,000 posts has one row, its first, with the containers of all chunks in which
 *   it has posts, one after the other, each padded to four bytes; a larger one has a row for each chunk in which it has posts,
 *   its first row plus the chunk's number.
 * - `sealed_positions`: rows of the same numbers, for terms that hold positions: one byte a post in the order of the
 *   containers, its position. Where it is 255 the post has several positions or a later one, which an overflow table in front
 *   of the bytes holds: u32 m, u32 p, then ranks[m] (which bytes), starts[m] (where in the list they begin: the first
 *   at 0, each other where the one before ends), and list[p], ascending for each post, the highest bit set in each post's last.
 *   All three have items of 16 bits, or of 32 where the highest bit of m is set; the table is padded to four bytes. A row
 *   without overflow has no table: it is as long as it has posts.
 * - `sealed_mask`: for each chunk in which there are any, bitmaps of the posts that this index does not answer for: `replaced`
 *   ones were deleted or written anew after sealing (FTS5 answers for those that there still are), `hidden` ones are not to be found.
 *   Both have 8 KiB, whatever there is of the chunk, or both are
 *   empty.
 *
 * Every row but those of `sealed_ids` has a checksum in `sum` (`sums.ts`), with its key in it. That nothing is missing follows: the
 * head says how many pages of IDs and chunks there are, the sum of a block includes the first term of the next one, and the
 * dictionary names the rows of postings. Format 1 has no sums, and no row of `sealed_mask` for a chunk in which no post is left out; such an
 * index is read as it is, and made anew.
 *
 * A varint is little endian, seven bits a byte, the highest bit set in all but the last; what is read is below 2 ** 35. Positions
 * are below 2 ** 31. Padding is zeros, and no bitmap has a bit beyond the last post.
 */
export const sealedFormat = 2;
/** The format before checksums. */
export const unsummedFormat = 1;
/** The format of an index that is not kept up any more, as it was found to be damaged. */
export const spoiledFormat = 0;

export const postsOfChunk = 65_536;
/** From so many posts on a container is a bitmap. */
export const densePosts = 4_096;
/** 32-bit words, and bytes, of a bitmap. */
export const wordsOfBitmap = postsOfChunk / 32;
export const bytesOfBitmap = postsOfChunk / 8;
/** Up to so many posts stand in the dictionary. */
export const inlinePosts = 64;
/** Up to so many posts have their containers in one row, which fits into a page of the table. */
export const oneRowPosts = 4_000;
/** Two pages of IDs fit into a page of the table. */
export const idsOfPage = 510;
/** A block of the dictionary is ended before it and its first term get longer, so that four fit into a page of the table, bytes. */
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

/** How many bytes a container of so many posts takes in a row. */
export const bytesOfContainer = (posts: number): number =>
  posts >= densePosts ? bytesOfBitmap : ((posts + 1) >> 1) * 4;

export const chunksOf = (posts: number): number => Math.ceil(posts / postsOfChunk);

/** How many of so many posts a chunk has. */
export const postsIn = (chunk: number, posts: number): number =>
  Math.min(postsOfChunk, posts - chunk * postsOfChunk);

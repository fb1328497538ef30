const countries =
  "ac ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo br bs bt bw by bz ca cc cd cf cg " +
  "ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg er es et eu fi fj fk fm fo fr ga gd ge gf gg gh " +
  "gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo jp ke kg kh ki km kn kp " +
  "kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw mx my mz na nc " +
  "ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw py qa re ro rs ru rw sa sb sc sd se sg sh si " +
  "sk sl sm sn so sr ss st su sv sx sy sz tc td tf tg th tj tk tl tm tn to tr tt tv tw tz ua ug uk us uy uz va vc ve vg " +
  "vi vn vu wf ws ye yt za zm zw";

/** Excludes domains that are usually words after a missing space (`end.Now`). */
const generic =
  "com org net edu gov mil int info biz name pro mobi asia jobs travel museum aero coop cat tel xxx post app dev page blog " +
  "online site website web shop store tech cloud digital media news press live video photo photos pics gallery art design " +
  "agency studio club social network community chat zone world global earth city town center foundation institute academy " +
  "university school education science games game fun xyz top link click icu vip wiki space host email solutions services " +
  "systems software technology company business finance financial fund capital bank money insurance health clinic care " +
  "expert guru ninja rocks today tips guide review reviews events party love life style fashion beauty fitness football " +
  "london paris berlin tokyo nyc moscow amsterdam wien hamburg koeln bayern vegas miami boston africa scot wales eus gal " +
  "bzh swiss google youtube amazon apple bbc church law legal report exchange market markets trade trading " +
  "vermögensberater vermögensberatung";

const international =
  "рф рус укр бел бг срб мкд мон қаз ею москва дети онлайн сайт орг ελ ευ հայ გე みんな 中国 中國 中文网 公司 网络 在线 香港 " +
  "台灣 台湾 澳門 新加坡 한국 닷컴 닷넷 भारत ভারত ไทย ລາວ پاکستان ایران بھارت السعودية امارات مصر قطر فلسطين المغرب الجزائر " +
  "الاردن تونس سورية عمان شبكة";

export const topLevelDomains: ReadonlySet<string> = new Set(
  [countries, generic, international].flatMap((list) => list.split(" ")),
);
/** After these, a host may end within a run of letters. */
export const internationalDomains: readonly string[] = international.split(" ");

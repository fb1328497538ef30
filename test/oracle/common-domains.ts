/** A host without a scheme is a link only under these domains, as `earshot explain` reads links. */
export const commonDomains: ReadonlySet<string> = new Set(
  `
    ac academy ad ae aero af africa ag agency ai al am amsterdam ao app apple aq ar art as asia at
    au aw ax az ba bank bayern bb bbc bd be beauty berlin bf bg bh bi biz bj blog bm bn bo boston
    br bs bt business bw by bz bzh ca capital care cat cc cd center cf cg ch chat church ci city
    ck cl click clinic cloud club cm cn co com community company coop cr cu cv cw cx cy cz de
    design dev digital dj dk dm do dz earth ec edu education ee eg email er es et eu eus events
    exchange expert fashion fi finance financial fitness fj fk fm fo football foundation fr fun
    fund ga gal gallery game games gd ge gf gg gh gi gl global gm gn google gov gp gq gr gs gt gu
    guide guru gw gy hamburg health hk hm hn host hr ht hu icu id ie il im in info institute
    insurance int io iq ir is it je jm jo jobs jp ke kg kh ki km kn koeln kp kr kw ky kz la law lb
    lc legal li life link live lk london love lr ls lt lu lv ly ma market markets mc md me media
    mg mh miami mil mk ml mm mn mo mobi money moscow mp mq mr ms mt mu museum mv mw mx my mz na
    name nc ne net network news nf ng ni ninja nl no np nr nu nyc nz om online org pa page paris
    party pe pf pg ph photo photos pics pk pl pm pn post pr press pro ps pt pw py qa re report
    review reviews ro rocks rs ru rw sa sb sc school science scot sd se services sg sh shop si
    site sk sl sm sn so social software solutions space sr ss st store studio style su sv swiss sx
    sy systems sz tc td tech technology tel tf tg th tips tj tk tl tm tn to today tokyo top town
    tr trade trading travel tt tv tw tz ua ug uk university us uy uz va vc ve vegas
    vermögensberater vermögensberatung vg vi video vip vn vu wales website wf wien wiki world ws
    xxx xyz ye youtube yt za zm zone zw ελ ευ бг бел дети ею мкд мон москва онлайн орг рус рф сайт
    срб укр қаз հայ الاردن الجزائر السعودية المغرب امارات ایران بھارت تونس سورية شبكة عمان فلسطين
    قطر مصر پاکستان भारत ভারত ไทย ລາວ გე みんな 中国 中國 中文网 公司 台湾 台灣 在线 新加坡 澳門 网络 香港 닷넷 닷컴 한국
  `
    .trim()
    .split(/\s+/),
);

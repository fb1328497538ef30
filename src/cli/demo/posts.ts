/**
 * Fictional posts from Port Lumen, a fictional harbour town. One per line, in any order:
 * AGE PERSON LANG [key=KEY] [likes=N] [reposts=N] [replies=N] [quotes=N] [reply=KEY] [quote=KEY] [repost=KEY]
 * [at=PLACE] [link=URL] [image|video|gif=ALT_WORDS_WITH_UNDERSCORES] [sensitive] | TEXT
 * AGE is minutes, hours, days or years before the demo's start. A repost takes its text from its original.
 */
export const storyLines = `
2m mira en likes=12 reposts=3 replies=2 at=harbour | Northern lights over the harbour right now, green to the horizon #aurora
3m otto de likes=4 | Polarlicht über dem Hafen! Ganz Port Lumen steht auf der Mole. #aurora
4m akari ja likes=21 reposts=6 | 港の上にオーロラが出ています。こんなに明るいのは初めて #オーロラ #aurora
5m daw th likes=9 reposts=1 | แสงเหนือสวยมากคืนนี้ เห็นจากท่าเรือชัดเจน ใครอยู่แถวนี้ออกมาดูเร็ว #aurora
6m layla ar likes=17 reposts=4 at=harbour | الشفق القطبي فوق الميناء الليلة، مشهد لا يُنسى #aurora
7m jun ko likes=8 reposts=2 | 지금 항구 위로 오로라가 보여요. 사진은 내일 올릴게요 #오로라 #aurora
8m lena ru likes=14 reposts=3 | Северное сияние прямо над портом! Выходите на мол, пока не кончилось #aurora
50m halden en key=alert likes=240 reposts=88 replies=31 quotes=9 link=https://halden.example.org/alerts/aurora | Aurora alert: level 7 of 9 for the next three hours. Look north, away from the lamps. #aurora
10m radio en repost=alert | RT
11m tomas es likes=6 quote=alert | ¿Nivel 7? Nunca lo había visto tan alto. Voy corriendo al mirador
13m tomas en key=cloud likes=3 reply=alert | @halden_demo is level 7 visible through thin cloud?
12m halden en likes=5 reply=cloud | @tomas_demo yes, and please send us your pictures with the time they were taken
14m ines pt likes=11 image=Green_curtain_of_light_above_moored_boats | Nunca pensei ver isto da janela da cozinha 😍
15m bakery en likes=33 reposts=7 at=market | We stay open until the lights go out. Cinnamon buns at half price for everyone with cold hands 🥐
16m amara en likes=2 | Missed the northern lights again because I was asleep. Every single time.
58m trams en key=latetram likes=19 reposts=12 link=https://trams.example.org/tonight | Extra trams to the north pier until 02:00. Please leave your lamps off at the last stop.
21m nadia fr key=stop likes=7 reply=latetram | @trams merci ! Le 3 s'arrête-t-il encore au phare ?
20m trams en likes=2 reply=stop | @nadia yes, line 3 stops at the lighthouse until 01:40
22m wei zh likes=16 reposts=5 | 北极光！码头上站满了人，大家都抬着头，谁也不说话
24m hoshi ja key=onephoto likes=40 reposts=15 at=harbour | 東京から来た甲斐がありました。オーロラと灯台が一枚に入った #オーロラ
25m kestrel en likes=58 reposts=21 link=https://kestrel.example.org/passes | Kestrel-2 passes over Port Lumen at 23:40. It will cross the aurora from west to east. 🛰️
27m lena ru likes=1 reply=alert | @halden_demo надолго это? У меня почти сел аккумулятор 🔋
30m radio en key=road likes=21 reposts=9 at=town | Traffic: the harbour road is closed to cars tonight. Walk, or take the tram. #portlumen
33m mira en likes=4 | Hands frozen, memory card full, no regrets. Coffee?
35m lena ru likes=3 | Кто-нибудь знает, до скольки ходят трамваи? Очень холодно 🥶
38m wei zh likes=5 reply=latetram | @trams 末班车是几点？
41m akari ja likes=12 | 灯台の下は風が強い。手袋を忘れないで
44m tomas es likes=2 sensitive image=Swimmers_in_the_dark | Foto del baño polar de medianoche. Aviso: gente sin ropa 🙈
45m amara en likes=9 sensitive | Midnight polar swim, uncensored. You were warned. #aurora
48m layla ar likes=6 | هل من أحد عنده ترموس شاي إضافي؟ نحن عند المنارة
52m daw th likes=4 | หนาวมากแต่คุ้ม ใครมีชาร้อนบ้าง?
55m library en likes=27 reposts=11 link=https://library.example.org/sky | The reading room is dark tonight so that you can see the sky from its windows. Hot drinks on the stairs.
1h halden en likes=97 reposts=35 | Magnetometer reading 412 nT, the highest since the storm of last March. #aurora #spaceweather
40m library en repost=latetram | RT
2h petra cs likes=2 | Jdu na molo. Prý je vidět polární záře
2h ferries en likes=8 reposts=4 link=https://ferries.example.com/status | The 22:15 to Skerry Island waits ten minutes longer. Passengers are on deck looking up, and so is the captain.
2h nadia fr likes=5 | On entend les gens crier de joie jusqu'au port. C'est beau, une ville qui lève la tête
29m layla en likes=3 reply=road | @radio_demo thank you, we take the tram
3h halden en key=forecast likes=130 reposts=52 quotes=4 link=https://halden.example.org/forecast | Forecast for tonight: clear after 21:00, strong aurora likely before midnight. #aurora
2h mira en likes=2 reply=forecast | @halden_demo charging every battery I own
2h radio en likes=6 quote=forecast | Tonight could be the one. Our observatory friends sound excited
2h hoshi ja likes=4 reply=forecast | @halden_demo 予報ありがとうございます！今夜は港へ行きます
5h ines pt likes=3 | Alguém sabe se o café do farol abre hoje?
6h bakery en likes=14 | Rye, spelt, and one secret loaf. The ovens are on.
7h kestrel en likes=25 reposts=8 | Downlink good, batteries at 96 %, one very happy control room 🚀
8h hoshi ja likes=9 at=town | 路面電車でのんびり移動中。窓からすごい夕焼け
10h library en likes=8 | Story hour for children at four: "The Lamp That Would Not Sleep"
11h lena ru likes=5 at=market | На рынке уже продают горячий сидр и фонарики. Праздник света начался! #festivaloflights
12h layla ar likes=10 reposts=2 | بدأ مهرجان الأضواء في الميناء. المدينة كلها مضاءة بالفوانيس #festivaloflights
13h daw th likes=7 | เทศกาลโคมไฟเริ่มแล้ว ถนนเต็มไปด้วยโคมสีส้ม #festivaloflights
14h jun ko likes=13 reposts=3 | 등불 축제 첫날! 항구 전체가 반짝반짝해요 ✨ #festivaloflights
15h tomas es likes=8 reposts=1 | Primer día del festival de las luces. Mil faroles y ni uno torcido #festivaloflights
16h otto de likes=6 | Lichterfest am Hafen, tausend Laternen und eine Blaskapelle 🎺 #festivaloflights
17h nadia fr likes=9 at=market | La fête des lumières commence ce soir, venez nombreux #festivaloflights
18h petra en likes=12 reposts=2 | A thousand lanterns and my cat is afraid of exactly one of them 🐈
19h amara en likes=44 reposts=10 | The state-of-the-art lantern by the school won. It is a jam jar with a star cut out. Deserved. #festivaloflights
20h radio en key=storm likes=71 reposts=40 replies=12 | Storm warning for the coast from Tuesday noon. Tie down boats and lanterns. #storm
18h ferries en likes=15 reposts=19 reply=storm link=https://ferries.example.com/status | All crossings to Skerry Island on Tuesday are cancelled because of the storm. Tickets stay valid.
19h mira en likes=3 quote=storm | Storm on Tuesday, aurora tonight. This town does not do boring
17h tomas es repost=storm | RT
16h lena ru likes=2 reply=storm | Паром тоже отменят?
23h harbour en likes=1 link=https://harbour.example.com/gauge?station=north | The gauge at the north pier can be read by anyone:
1d kestrel en key=image likes=310 reposts=120 replies=22 quotes=15 image=The_coast_at_night_seen_from_orbit | First night image from Kestrel-2. The bright dot on the coast is you, Port Lumen 👋🏽
22h jun zh likes=18 reply=image | 太美了！那个亮点就是我们
22h akari ja likes=22 quote=image | 宇宙から見た私たちの町。泣きそう 😭
21h amara en key=print likes=6 reply=image | Can we print this for the library wall?
20h kestrel en likes=11 reply=print | @amara.example.com please do, it is public domain
23h jun en repost=image | RT
23h ines pt repost=image | RT
23h otto de likes=4 quote=image | Unser Punkt im Dunkeln
1d halden en likes=36 reposts=12 | Don't look for us on the image: our lamps are off, as they should be 🔭
2d ferries en likes=4 reposts=3 | The ferry to Skerry Island is on time today.
2d trams en likes=3 | Track works between Market and Lighthouse are finished. Thank you for your patience.
2d bakery en key=bread likes=52 reposts=13 image=Three_round_loaves_with_stars_pressed_into_the_crust | Star bread is back. Three sizes: dwarf, giant, red giant 🍞
47h petra en key=six likes=5 reply=bread | @bakery is the red giant enough for six?
46h bakery en likes=4 reply=six | @petra it is enough for eight, or for one of you
2d daw th likes=3 | ขนมปังดาวอร่อยมาก ต้องไปตั้งแต่เช้า
2d hoshi ja likes=7 | 「星のパン」を買いました。パン屋さんがとても親切
2d mira en likes=1 sensitive image=Injured_seal_on_the_rocks | Injured seal near the north pier, wildlife rescue is on its way (graphic)
2d nadia en likes=8 at=harbour | The seal is safe. Rescue says it will swim again in a week 🦭
3d tomas es likes=5 | He visto un zorro en la vía del tranvía. Nos miramos. Ganó él 🦊
3d jun ko likes=9 at=skerry | 섬에서 바라본 등대. 바람이 세지만 하늘은 맑아요
3d layla ar likes=4 at=skerry | نزهة قصيرة إلى جزيرة سكيري، والبحر هادئ كمرآة
3d otto de likes=7 reposts=1 at=skerry | Wanderung um Skerry: vier Stunden, kein Baum, hundert Schafe 🐑
3d wei zh likes=6 at=skerry | 斯凯里岛上的羊比人多
3d lena ru likes=8 image=Sheep_on_a_cliff_at_sunset | Овцы на обрыве, закат, чай из термоса. Больше ничего не надо
4d halden en key=open likes=64 reposts=20 link=https://halden.example.org/open-night | Open night on Saturday: four telescopes, one dome, no tickets. Children may push the big button.
95h tomas en key=button likes=3 reply=open | @halden_demo what does the big button do?
94h halden en likes=90 reposts=14 reply=button | @tomas_demo it opens the sky
4d radio en likes=12 | We talk to the Kestrel team at nine: how do you build a satellite in a boathouse?
4d petra en likes=2 link=https://blog.example.org/2024/knots?ref=home#figure-eight | Wrote down every knot my grandmother taught me, with drawings
4d ines pt likes=4 | Quem me ensina a fazer o nó de oito?
5d ferries de likes=2 | Die Fähre nach Skerry fährt heute pünktlich.
5d ferries fr likes=1 | Le bac pour Skerry est à l'heure aujourd'hui.
5d library en likes=16 reposts=3 | New on the shelf: an atlas of places that do not exist. We checked, we are in it.
5d wei zh likes=3 | 图书馆的新地图集很有意思
5d akari ja likes=5 | 図書館で静かな午後。窓の外は霧
5d hoshi ja likes=11 reposts=2 | 朝の漁港。カモメと魚と、眠そうな猫
6d kestrel en key=launch likes=890 reposts=410 replies=65 quotes=33 link=https://kestrel.example.org/launch | Kestrel-2 is in orbit. Built in a boathouse, paid for with cake sales. Thank you all. 🚀
143h akari en likes=31 reply=launch | Crying in the boathouse. You did it!
143h jun ko likes=15 quote=launch | 보트 창고에서 만든 위성이 우주로 갔다 🚀
142h ines es likes=12 quote=launch | Un satélite pagado con pasteles. Qué pueblo este
141h otto en repost=launch | RT
140h bakery en likes=77 reposts=9 | We baked 1,140 cakes for Kestrel-2 and would do it again tomorrow
9d halden en likes=12 reposts=4 | Quiet sky this week: level 2, no aurora expected.
12d radio en likes=7 | The choir of Port Lumen looks for tenors. Volume matters more than pitch.
15d ferries en likes=5 | Winter timetable starts on Monday. The last ferry leaves at 22:15.
20d petra en likes=9 | First snow. The tram driver rang the bell at every stop, just for joy
26d layla ar likes=7 | أول ثلج هذا العام، والأطفال في الشوارع
33d lena ru likes=11 | Первый лёд в гавани. Тонкий как стекло
45d trams en likes=6 reposts=5 link=https://trams.example.org/line-3 | Line 3 turns one hundred. Free rides on Sunday, and the old number 12 car runs again.
60d amara en likes=18 | Learned to say "thank you" in nine languages at the fish market today
75d otto de likes=5 | Herbststurm. Die Möwen fliegen rückwärts
90d hoshi ja likes=13 | 初めてこの港町に来ました。また必ず来ます
120d kestrel en likes=140 reposts=44 | Vibration test passed. The boathouse shook, the satellite did not.
180d library en likes=9 | Summer reading: one book for each lighthouse keeper we ever had
240d bakery en likes=22 reposts=2 | Two years of night baking. Half of it was flour in places where flour should not be
260d halden en key=march likes=205 reposts=96 image=Red_aurora_above_a_snow_field | The storm of March: red aurora down to the southern horizon, 655 nT. #aurora #spaceweather
259d mira en likes=17 reply=march | I still have the wallpaper from that night
1y radio en likes=3 | Radio Lumen is on the air. First song: the foghorn, unaccompanied
400d ines pt likes=6 | Mudei-me para Port Lumen. Faz frio, mas toda a gente diz bom dia
500d wei zh likes=2 | 来到这座港口城市的第一天
700d tomas es likes=4 | Primera aurora de mi vida. No tengo palabras, solo frío #aurora
2y halden en likes=51 reposts=17 | The dome is open. Halden Observatory says good evening. 🔭
3y ferries en likes=1 | Testing, testing. This is the ferry.
4h nadia fr likes=12 video=Lanterns_drifting_across_the_harbour | Dix secondes de lanternes sur l'eau
8h jun ko likes=19 reposts=2 video=Waves_breaking_over_the_north_pier | 북쪽 방파제를 넘는 파도, 소리를 켜고 보세요
6d tomas es likes=10 video=A_tram_passing_the_lit_lighthouse | El tranvía de la línea 3 y el faro, en diez segundos
7d bakery en likes=48 gif=Bread_rising_in_an_oven | Four hours in four seconds
`;

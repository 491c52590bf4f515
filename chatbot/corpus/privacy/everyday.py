"""Everyday words that people also have for a name: alone, they cannot be told from the word.

Sources: the most frequent English words of the chitchat corpus, and words of English, German, French, Spanish
and Russian that are first names or surnames, nicknames, or what chat programs call the two sides.
"""

from __future__ import annotations

_NO_NAMES = (
    "admin agent anonymous answer april assistant august boss bot chat client customer december dein "
    "dezember dich du ella elle er eux everyone februar february friday gpt group guest he help home host "
    "human i ich ihr il info it januar january je juli july june juni lui mai march may me mein mi mich "
    "mine mobile model moderator moi monday my myself märz name news nobody nosotros nous november october "
    "office oktober operator phone question saturday selbst self september she sie someone speaker stranger "
    "sunday support system team them they thursday today toi tomorrow tu tuesday tú unknown uns us user "
    "vous we wednesday who wir work yo you your él вам вы мне мы нам он она они тебе ты я"
)
_NO_NAMES_UNSPACED = (
    "我们 你们 他们 她们 大家 自己 客服 群主 管理员 系统 匿名 用户 助手 机器人 妈妈 爸爸 "
    "老师 老板 朋友 同学 小姐 你好 今天 明天 昨天 高兴 快乐 开心 平安 天天 明白 文明 光明 "
    "建设 希望 幸福 美丽 可爱 小心 大小 春天 夏天 秋天 冬天 自分 あなた わたし ママ パパ "
    "先生 今日 明日 우리 나는 너는 엄마 아빠 오늘 내일 사랑 하나 미소 보라 나라 가을 여름"
)
_FREQUENT = (
    "able about absolutely actual actually add after again against age ago agree air all almost along "
    "already alright also always am amazing amount an and animals annoying another answer any anymore "
    "anyone anything anyway anywhere appreciate are area aren around artificial as ask asked asking at away "
    "awesome awkward baby back bad based basically be beautiful because become bed been before behind being "
    "believe besides best bet better between big bit black body book books boring both boy brain break "
    "bring brother build building bunch business busy but butter buy by call called came campus can car "
    "care career cars case catch cause center certain challenge change changed character chat chats "
    "chatting check chicken chocolate choice choose church city class classes clean climbing close code "
    "cold college color come comes coming company competition completely computer computers control "
    "conversation conversations cool could count countries country couple course crazy cream create credit "
    "culture currently cut cute dance dang dark data date dating day days deal decide decided deep "
    "definitely depends design did difference different difficult dinner do doctor does dog doing dollars "
    "done down dream drive driving dude dumb during each earlier early easier easy eat eating education "
    "either else end ended enjoy enjoyed enough entire especially even eventually ever every everyone "
    "everything exactly example except excited exciting expensive experience extra eyes face fact fair fall "
    "family fan far fast faster favorite feel feeling feels felt few field figure figured final finally "
    "finals find fine finish finished first fish five fly flying focus follow food for forever forget "
    "forgot found four free freshman friend friends from full fun funny future game games gave general get "
    "gets getting girl girlfriend girls give given giving glad go goes going gone good goodness gosh got "
    "gotcha gotten grade graduate great group grow growing guess guys had haha hair half hand hands happen "
    "happened happens happy hard harder has hate have haven having he head health hear heard hello help "
    "helped helping helps her here hero hey hi high hilarious him his history hit home homework honest "
    "honestly hopefully hoping hot hour hours house how huge huh human humans hurt husband ice idea ideas "
    "if imagine important in information insane inside instead intelligence intense interested interesting "
    "internet internship into is it its job jobs just keep kept kid kidding kids kind kinds knew know knows "
    "language laptop last late later learn learned learning least leave left less let level life light like "
    "liked line list listen listening literally little live lived lives living lol longer look looked "
    "looking looks lose lost lot lots loved luck made magic main majoring make makes making many married "
    "math matter may maybe me mean means meant medical meet messages met middle might million mind mine "
    "minor minutes mission moment money month months more morning most mostly move moved movie movies "
    "moving much multiple music must my myself name names near need needed needs never new next nice night "
    "normal not nothing now number of off often oh ok okay old older once one ones online only open opinion "
    "or order other others our out outside over own paid paper parents part pass past pay peanut people "
    "perfect person personal phone physics piano pick pictures pizza place places plan planning plans play "
    "played playing please point points possible power practice prefer pretty probably problem problems "
    "professor program project prompt put question questions quick quite random rather re read reading "
    "ready real realize realized really reason recently recommend remember research respond rest right "
    "robot rock room roommate rough round rules run running sad said same save saw say saying says scary "
    "school science season second see seeing seem seems seen self sell semester send sense series seriously "
    "serve served set share she shoot short should show shows siblings sick side similar simple since "
    "sister sitting sleep small smell social some someone something sometime sometimes somewhere song songs "
    "soon sorry sort sound sounds space speak speaking specific spend spent sports spring stand start "
    "started starting starts state stay still stop stopped stories story strong student students study "
    "studying stuff such sucks super suppose supposed sure sweet system take taken takes taking talk talked "
    "talking teach teacher team technology tell telling terrible test tests text than thank thanks that "
    "their them then there these they thing things think thinking this those though thought three through "
    "time times tired to today together told tomorrow tonight too took top topic totally tough travel tried "
    "trip true try trying turn turned two type typing under understand unless until up us use used using "
    "usually very video visit wait waiting walk want wanted wants wasn watch watched watching water way "
    "ways we weather week weekend weeks weird well went were what whatever when where which while white who "
    "whole why wife wish with without won wonder word words work worked working works world worried worries "
    "worry worse worst worth would wow write writing wrong yeah year years yes yesterday yet you younger "
    "your yours yourself"
)
_ALSO_NAMES = (
    "aber abu abuela abuelo al alba alle angel apple april art ash así au auch auf autumn aux avec avoir "
    "baker bay bear bell ben berg berry bien bin bist blanc blanca blue bon bond bow braun brook buck bush "
    "butler candy carpenter cash ce cette chance charity chef cherry christian clay cliff clover coach como "
    "con constant cook cooper coral cruz crystal da dad daddy daisy dale dann dans das dash dawn de del "
    "della dem demain den der des destiny di diamond die doc doch dolly dos dot dr du dusk ebony ein eine "
    "el en engel es eso esperanza est esto et eve fait faith fern flor flora forest forrest fox france frau "
    "fuchs für gale garden genesis ginger gold gore grace gracias gray green grey groß gut guy habe haben "
    "harmony hat heaven herb herr heute hier hola honey hope horn hoy hunter ibn im immer iris ist ja "
    "jersey jet jewel joy jr judge juste kann king kit klein knight könig la lake lance lane lang lark las "
    "le les león lo long los love lucky ma mac madre mais major mal mama maman man mar marine mark mason mc "
    "mehr merci mercy mes miller mills mint miss misty mit mom mommy mon moon morgen mr mrs ms mum mummy "
    "mutter muy más nein nicht no noble noch non nova nur ocean océane olive oma on oncle onkel opa opal ou "
    "oui où padre page papa para park parker pas pat patience paz pepper pero pierce plus poppy por port "
    "pour powers price prince prof prudence que queen qui rain ray red reed reyes rich river rocky rosa "
    "rose rusty sa sage sailor salut san sandy santa schon schwarz se sehr sein ses shepherd shore si "
    "silver sind sir skip sky smart snow so sol soledad sommer son sonny sr st star stein stone storm su "
    "summer sunny sur sus swift sí ta tante tes the tiger ton tout trinity très turner tía tío un una und "
    "une va van vater vogel von wade war ward was web weiß wenn wer west wheat wie will win winter wird wo "
    "wolf wood woods y ya york young zen zu ça être а бабушка бы было быть в вера вот все да дедушка до его "
    "если ещё же за и или как любовь мама мне на надежда не нет ни но от папа по роза с так то только уже "
    "что это"
)
_NAMES_FIRST = (
    "amber aurore bach bill blanche bob brooke carol chase chip claire clément cole colt dean dick dolores "
    "drew duke désiré earl ernst fleur floyd frank gene glen grant harper hazel heather holly ivy jack jade "
    "jasmine jasper jay jean josh kaiser koch leo lev lily luz marina matt max melody mercedes mike miles "
    "moreno nick paige pearl peg penny perle pilar piper polly rob robin rod rosemary rowan rubio ruby "
    "savannah scarlet sterling sue tanner victor vincent violet walker warren wayne лев лилия"
)

NEVER_NAMES = frozenset(_NO_NAMES.split()) | frozenset(_NO_NAMES_UNSPACED.split())
"""Words that are written with a capital inside a sentence though they name nobody, and pronouns."""

EVERYDAY = NEVER_NAMES | frozenset(_FREQUENT.split()) | frozenset(_ALSO_NAMES.split())
"""Words, in small letters, that are no name unless more tells so."""

NAMES_FIRST = frozenset(_NAMES_FIRST.split())
"""Words, in small letters, that are a name where they have a capital."""
